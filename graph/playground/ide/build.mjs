// Builds the IDE into ../dist: index.html, and assets/ with gzipped scripts and styles, whose names
// have hashes of their content.
import { build } from 'esbuild';
import { mkdir, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';

const here = dirname(fileURLToPath(import.meta.url));
const dist = join(here, '../dist');
const examples = join(here, '../examples');

const common = {
  absWorkingDir: here,
  outdir: join(dist, 'assets'),
  entryNames: '[name]-[hash]',
  assetNames: '[name]-[hash]',
  chunkNames: 'chunk-[hash]',
  bundle: true,
  minify: true,
  write: false,
  target: 'es2022',
  legalComments: 'none',
  logLevel: 'warning',
};

// fileOf returns the file name of a built entry point.
function fileOf(result, name, extension) {
  const file = result.outputFiles.find(({ path }) => basename(path).startsWith(`${name}-`) && path.endsWith(extension));
  return basename(file.path);
}

const workers = await build({
  ...common,
  format: 'iife',
  entryPoints: {
    editor: 'monaco-editor/esm/vs/editor/editor.worker.js',
    json: 'monaco-editor/esm/vs/language/json/json.worker.js',
    graphql: 'monaco-graphql/esm/graphql.worker.js',
  },
});

const names = (await readdir(examples)).filter((name) => name.endsWith('.graphql')).sort((a, b) => parseInt(a) - parseInt(b));
const ide = await build({
  ...common,
  format: 'esm',
  splitting: true,
  jsx: 'automatic',
  metafile: true,
  entryPoints: ['ide.jsx'],
  // GraphiQL imports names from prettier's CommonJS parsers, which have only a default export there.
  alias: { 'prettier/parser-graphql': 'prettier/plugins/graphql', 'prettier/parser-babel': 'prettier/plugins/babel' },
  define: {
    'process.env.NODE_ENV': '"production"',
    WORKERS: JSON.stringify({
      editor: fileOf(workers, 'editor', '.js'),
      json: fileOf(workers, 'json', '.js'),
      graphql: fileOf(workers, 'graphql', '.js'),
    }),
    EXAMPLES: JSON.stringify(await Promise.all(names.map((name) => readFile(join(examples, name), 'utf8')))),
  },
  loader: { '.ttf': 'dataurl' },
});

const page = (await readFile(join(here, 'index.html'), 'utf8'))
  .replace('STYLESHEET', `assets/${fileOf(ide, 'ide', '.css')}`)
  .replace('SCRIPT', `assets/${fileOf(ide, 'ide', '.js')}`);

await rm(common.outdir, { recursive: true, force: true });
await mkdir(common.outdir, { recursive: true });
for (const { path, contents } of [...workers.outputFiles, ...ide.outputFiles]) {
  // Monaco's own styles are unused: graphiql/style.css contains them.
  if (/chunk-.*\.css$/.test(path)) continue;
  await writeFile(`${path}.gz`, gzipSync(contents, { level: 9 }));
}
await writeFile(join(dist, 'index.html'), page);
const pictures = ['waterfall.jsx', 'plantree.jsx', 'picture.jsx', 'cost.jsx', 'costs.js', 'format.js', 'cost.css'];
const outputs = Object.entries(ide.metafile.outputs);
const kB = (bytes) => `${(bytes / 1000).toFixed(1)} kB`;
const own = outputs.flatMap(([, { inputs }]) => pictures.map((name) => inputs[name]?.bytesInOutput ?? 0)).reduce((a, b) => a + b);
const whole = ide.outputFiles.filter(({ path }) => basename(path).startsWith('ide-'));
console.log(`${relative(process.cwd(), dist)}: ${names.length} examples; ${kB(own)} of ${kB(whole.reduce((sum, { contents }) => sum + contents.length, 0))} draw the cost`);
