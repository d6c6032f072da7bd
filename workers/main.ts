import '../ops/modules/resolve.ts'

// After the statement above has taken effect: what a module imports is found before it runs.
await import('./start.ts')
