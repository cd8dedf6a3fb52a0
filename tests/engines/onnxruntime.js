// onnxruntime.js - runs ONNX models on ONNX Runtime, one after the other
//
//   node onnxruntime.js NODE_MODULES < jobs > answers
//
// A job is a line of JSON: {"model": PATH, "inputs": NPZ, "outputs": NPZ}, or
// {"model": PATH, "optimized": PATH}: the graph as the engine's own optimiser
// leaves it.  The answer to it is a line, too: {"ok": true} when the files were
// written, or {"ok": false, "why": TEXT}.  The engine can take the process with
// it: who asks must be ready to start it again.
'use strict';
const path = require('path');
const readline = require('readline');
const npz = require('./npz.js');
const ort = require(path.join(path.resolve(process.argv[2]),
                              'onnxruntime-node'));

function feedsFor(session, arrays) {
    const feeds = {};
    for (const name of session.inputNames) {
        const array = arrays[name];
        if (!array) throw new Error(`no value for input '${name}'`);
        feeds[name] = new ort.Tensor(array.type, array.data, array.dims);
    }
    return feeds;
}

async function run(job) {
    const session = await ort.InferenceSession.create(job.model, {
        logSeverityLevel: 4, intraOpNumThreads: 1, interOpNumThreads: 1,
        graphOptimizationLevel: job.optimize || 'all',
        ...job.optimized && { optimizedModelFilePath: job.optimized },
    });
    try {
        if (job.optimized) return;
        const results = await session.run(
            feedsFor(session, npz.read(job.inputs)));
        npz.write(job.outputs, Object.fromEntries(Object.entries(results).map(
            ([name, tensor]) => [name, { type: tensor.type, data: tensor.data,
                                         dims: tensor.dims }])));
    } finally {
        await session.release();
    }
}

async function main() {
    for await (const line of readline.createInterface({ input: process.stdin })) {
        let answer = { ok: true };
        try {
            await run(JSON.parse(line));
        } catch (error) {
            answer = { ok: false, why: String(error.message || error) };
        }
        process.stdout.write(JSON.stringify(answer) + '\n');
    }
}

main();
