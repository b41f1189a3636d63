// Runs the audits of graphql-http (npm), and prints each result as a line of JSON:
//
//   node audit.mjs URL
import { auditServer } from 'graphql-http';

const results = await auditServer({ url: process.argv[2], fetchFn: fetch });
for (const { id, name, status, reason } of results) {
  console.log(JSON.stringify({ id, name, status, reason }));
}
