import { registerHooks } from 'node:module'
import { text } from 'node:stream/consumers'

/** Runs in a process of its own: turns the OpenAPI document of the standard input into TypeScript types. */

// The generator uses the compiler's JavaScript interface, which TypeScript 7 no longer has.
const compiler = `export { ts as default } from ${JSON.stringify(import.meta.resolve('@ts-morph/common'))}`
const url = `data:text/javascript,${encodeURIComponent(compiler)}`
registerHooks({
  resolve: (specifier, context, next) =>
    specifier === 'typescript' ? { url, shortCircuit: true } : next(specifier, context),
})

const { default: generateTypes, astToString } = await import('openapi-typescript')
process.stdout.write(astToString(await generateTypes(await text(process.stdin))))
