// Bundles a program in TypeScript, without checking its types: node build.mjs PROGRAM OUTPUT
import { build } from 'esbuild';

const [program, output] = process.argv.slice(2);
const options = { bundle: true, platform: 'node', format: 'esm', packages: 'external' };
await build({ ...options, entryPoints: [program], outfile: output });
