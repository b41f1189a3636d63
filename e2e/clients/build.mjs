import { build } from 'esbuild';
await build({ entryPoints: [process.argv[2]], outfile: process.argv[3], bundle: true, platform: 'node', format: 'esm', packages: 'external' });
