// onnxruntime.js - runs ONNX models on ONNX Runtime, one after the other
//
//   node onnxruntime.js NODE_MODULES < jobs > answers
//
// A job is a line of JSON: {"model": PATH, "inputs": NPZ, "outputs": NPZ}, or
// {"model": PATH, "optimized": PATH}: the graph as the engine's own optimiser
// leaves it; or {"time": [PATH, PATH], "inputs": NPZ, "rounds": N}: how long each
// takes to load and to run, in milliseconds, medians of rounds in which they
// take turns.  The answer to it is a line, too: {"ok": true} when the files were
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

const median = (times) => times.sort((a, b) => a - b)[times.length >> 1];

async function time(job) {
    const inputs = npz.read(job.inputs);
    const rows = job.time.map((model) => ({ model, load: [], run: [] }));
    const options = { logSeverityLevel: 4, intraOpNumThreads: 1,
                      interOpNumThreads: 1,
                      graphOptimizationLevel: job.optimize || 'all' };
    for (let round = 0; round < 5; round++) {
        for (const row of rows) {
            if (row.session) await row.session.release();
            const start = performance.now();
            row.session = await ort.InferenceSession.create(row.model, options);
            row.load.push(performance.now() - start);
        }
    }
    for (let round = 0; round < job.rounds; round++) {
        for (const row of rows) {
            const feeds = feedsFor(row.session, inputs);
            const start = performance.now();
            await row.session.run(feeds);
            if (round > 2) row.run.push(performance.now() - start);
        }
    }
    for (const row of rows) await row.session.release();
    return rows.map((row) => ({ load: median(row.load), run: median(row.run) }));
}

async function main() {
    for await (const line of readline.createInterface({ input: process.stdin })) {
        let answer = { ok: true };
        try {
            const job = JSON.parse(line);
            if (job.time) answer.times = await time(job);
            else await run(job);
        } catch (error) {
            answer = { ok: false, why: String(error.message || error) };
        }
        process.stdout.write(JSON.stringify(answer) + '\n');
    }
}

main();
