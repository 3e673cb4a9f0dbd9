// Fails if folders of a package import each other in a cycle, including type imports, because such folders cannot be
// understood separately. Tests and test helpers are exempt.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { root } from './bootstrap.mjs';

const ts = createRequire(import.meta.url)('typescript');
const roomsMin = 50;

function sourcesOf(workspace) {
  const folder = path.join(root, workspace, 'src');
  return readdirSync(folder, { recursive: true })
    .filter((file) => /\.tsx?$/.test(file) && !/\.test\.ts$|(^|\/)testing\//.test(file))
    .map((file) => path.join(folder, file));
}

/**
 * The unit to which a file belongs: its folder, or the file itself if it is directly under `src`, where the parts are
 * assembled.
 */
function roomOf(file) {
  const folder = path.dirname(file);
  return path.basename(folder) === 'src' ? file : folder;
}

/** The file of an import: `./x` is a file, or the index of a folder. */
function targetOf(file, specifier) {
  const target = path.resolve(path.dirname(file), specifier);
  return existsSync(`${target}.ts`) ? `${target}.ts` : path.join(target, 'index.ts');
}

/** Maps each folder to the folders that it imports, with an example of such an import. */
function graphOf(files) {
  const graph = new Map();
  for (const file of files) {
    const room = roomOf(file);
    if (!graph.has(room)) graph.set(room, new Map());
    for (const { fileName } of ts.preProcessFile(readFileSync(file, 'utf8')).importedFiles) {
      if (!fileName.startsWith('.')) continue;
      const target = roomOf(targetOf(file, fileName));
      if (target !== room) graph.get(room).set(target, `${path.relative(root, file)} imports ${fileName}`);
    }
  }
  return graph;
}

/** The shortest cycle from a folder back to itself, as the list of its imports. */
function circleAt(start, graph) {
  const reached = new Map([[start, []]]);
  for (const [room, way] of reached) {
    for (const [target, example] of graph.get(room) ?? []) {
      if (target === start) return [...way, example];
      if (!reached.has(target)) reached.set(target, [...way, example]);
    }
  }
  return undefined;
}

const workspaces = ['libs', 'services']
  .flatMap((group) => readdirSync(path.join(root, group)).map((name) => path.join(group, name)))
  .concat('deploy/local', 'deploy/till-agent');
const graphs = workspaces.map((workspace) => graphOf(sourcesOf(workspace)));
const rooms = graphs.reduce((sum, graph) => sum + graph.size, 0);
const circles = new Set(
  graphs.flatMap((graph) =>
    [...graph.keys()]
      .map((room) => circleAt(room, graph))
      .filter((circle) => circle !== undefined)
      .map((circle) => [...circle].sort().join('\n  ')),
  ),
);

for (const circle of circles) console.log(`circular folders:\n  ${circle}`);
if (rooms < roomsMin)
  console.log(`only ${rooms} folders were checked, but at least ${roomsMin} are expected`);
process.exitCode = circles.size > 0 || rooms < roomsMin ? 1 : 0;
