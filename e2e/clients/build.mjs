// Bundles a program in TypeScript, without checking its types: node build.mjs PROGRAM OUTPUT
import { build } from 'esbuild';

const [program, output] = process.argv.slice(2);
await build({ entryPoints: [program], outfile: output, bundle: true, platform: 'node', format: 'esm', packages: 'external' });
