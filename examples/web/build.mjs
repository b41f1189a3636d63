// Bundles the page into dist. The variable GATEWAY has the gateway's address, by default
// http://127.0.0.1:8080.
import { transformFileAsync } from '@babel/core';
import { build } from 'esbuild';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { basename, extname } from 'node:path';

const gateway = new URL(process.env.GATEWAY || 'http://127.0.0.1:8080').origin;
const dist = `${import.meta.dirname}/dist`;

// Replaces each graphql`…` by an import of relay-compiler's file.
const relay = {
  name: 'relay',
  setup({ onLoad }) {
    onLoad({ filter: /\/src\/\w+\.tsx$/ }, async ({ path }) => {
      const { code } = await transformFileAsync(path, {
        babelrc: false,
        configFile: false,
        parserOpts: { plugins: ['jsx', 'typescript'] },
        plugins: [['relay', { eagerEsModules: true }]],
      });
      return { contents: code, loader: 'tsx' };
    });
  },
};

await rm(dist, { recursive: true, force: true });
const { metafile } = await build({
  absWorkingDir: import.meta.dirname,
  entryPoints: ['src/main.tsx', 'src/style.css'],
  outdir: dist,
  entryNames: '[name]-[hash]',
  bundle: true,
  minify: true,
  metafile: true,
  format: 'esm',
  target: 'es2022',
  jsx: 'automatic',
  legalComments: 'linked',
  define: { 'process.env.NODE_ENV': '"production"' },
  plugins: [relay],
});

const built = Object.entries(metafile.outputs);
const named = (extension) => basename(built.find(([path, { entryPoint }]) => entryPoint && extname(path) === extension)[0]);
const page = (await readFile(`${import.meta.dirname}/index.html`, 'utf8'))
  .replaceAll('GATEWAY', gateway)
  .replaceAll('SOCKET', gateway.replace(/^http/, 'ws'))
  .replace('SCRIPT', named('.js'))
  .replace('STYLE', named('.css'));
await mkdir(dist, { recursive: true });
await writeFile(`${dist}/index.html`, page);
console.log(`dist: ${built.map(([path, { bytes }]) => `${basename(path)} ${Math.ceil(bytes / 1024)} KiB`).join(', ')}`);
