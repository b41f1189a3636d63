// Bundles main.js with the artifacts of relay-compiler: node build.mjs OUTPUT
import { transformFileAsync } from '@babel/core';
import { build } from 'esbuild';

const here = import.meta.dirname;
const relay = {
  name: 'relay',
  setup({ onLoad }) {
    onLoad({ filter: /relay\/\w+\.js$/, namespace: 'file' }, async ({ path }) => {
      if (!path.startsWith(`${here}/`) || path.includes('node_modules')) return;
      const plugin = ['relay', { artifactDirectory: `${here}/__generated__`, eagerEsModules: true }];
      const { code } = await transformFileAsync(path, { babelrc: false, configFile: false, plugins: [plugin] });
      return { contents: code };
    });
  },
};

await build({
  entryPoints: [`${here}/main.js`],
  outfile: process.argv[2],
  bundle: true,
  platform: 'node',
  format: 'esm',
  banner: { js: 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);' },
  plugins: [relay],
});
