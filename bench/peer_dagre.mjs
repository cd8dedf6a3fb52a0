// peer_dagre.mjs PAGE.html - lays the graph of a page out with @dagrejs/dagre
//
// The library that most viewers of models use, given the nodes and edges alone,
// without text, drawing or a browser.  Prints what bench/run reads.
import { wanted } from '../tests/viewer/browser.mjs';
import { readPage } from '../tests/viewer/read_page.mjs';

const { graphlib, layout } = wanted('@dagrejs/dagre');
const model = await readPage(process.argv[2]);
const graph = new graphlib.Graph();
graph.setGraph({});
graph.setDefaultEdgeLabel(() => ({}));
for (let node = 0; node < model.nodeCount; node++)
  graph.setNode(String(node), { width: 120, height: 30 });
for (let node = 0; node < model.nodeCount; node++)
  for (const value of model.inputs(node)) {
    const source = value < 0 ? node : model.nodeOfValue(value);
    if (source !== node)
      graph.setEdge(String(source), String(node));
  }
const start = performance.now();
const used = process.cpuUsage();
layout(graph);
const cpu = process.cpuUsage(used);
console.log(`inner_wall=${(performance.now() - start) / 1000} inner_cpu=${(cpu.user + cpu.system) / 1e6} nodes=${model.nodeCount}`);
