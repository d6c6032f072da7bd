import type { TSchema } from 'typebox'
import {
  collectFiles,
  define,
  FILE_RULE,
  type FileRule,
  hasMark,
  mapChildSchemas,
  type Operation,
  type Outcome,
  type Price,
  type ProbeKind,
  type ProblemCode,
  perCall,
  perPage,
  perStartedMegapixels,
  type SchemaNode,
  usd,
} from '#kit'
import { invalid, type PluginDeclaration } from './declaration.ts'

/** Runs one version of a plugin; tools of the worker do it. */
type PluginRun = (version: string, declaration: PluginDeclaration, input: unknown) => Promise<Outcome<unknown>>

interface PluginTools {
  pluginModule: { run: PluginRun }
  pluginProgram: { run: PluginRun }
}

const PROBES: Partial<Record<PluginDeclaration['price']['per'], ProbeKind>> = { page: 'document', megapixel: 'image' }
const ERRORS: readonly ProblemCode[] = ['PLUGIN_REFUSED', 'PLUGIN_FAILED', 'OUTPUT_TOO_LARGE']
const MEBIBYTE = 2 ** 20

/** The operation that a plugin declares, which everything of ours knows as one like any other. */
export function buildPluginOperation(version: string, declaration: PluginDeclaration): Operation {
  const { summary, description, keywords, price, errors = [], examples, limitSeconds, program } = declaration
  const probe = PROBES[price.per]
  if (price.per !== 'call' && !hasMark(FILE_RULE, declaration.input))
    throw invalid(`price.per is ${price.per}, but the input has no file`)
  const tool = program ? 'pluginProgram' : 'pluginModule'
  return define({
    summary,
    description,
    keywords,
    price: buildPrice(price) as Price<unknown>,
    uses: [tool],
    input: probe ? probeFiles(declaration.input, probe) : declaration.input,
    output: declaration.output,
    errors: [...new Set([...ERRORS, ...(errors as ProblemCode[])])],
    examples,
    limitSeconds,
    run: (input, tools) => (tools as unknown as PluginTools)[tool].run(version, declaration, input) as never,
  })
}

function buildPrice({ usd: dollars, per }: PluginDeclaration['price']): Price {
  if (per === 'page') return perPage(dollars)
  if (per === 'megapixel') return perStartedMegapixels(1, dollars)
  if (per === 'call') return perCall(dollars)
  const units = (input: unknown) =>
    Math.max(1, Math.ceil(collectFiles(input).reduce((sum, { sizeBytes }) => sum + sizeBytes, 0) / MEBIBYTE))
  return { unit: 'started MiB', rateMicros: usd(dollars), baseMicros: 0n, basis: 'body', minUnits: 1, units }
}

/** What is priced by the content of files has them probed. */
function probeFiles(schema: TSchema, probe: ProbeKind): SchemaNode {
  const rule = (schema as Record<string, unknown>)[FILE_RULE] as FileRule | undefined
  const copy = mapChildSchemas(schema as SchemaNode, child => probeFiles(child, probe))
  return rule ? ({ ...copy, [FILE_RULE]: { ...rule, probe } } as SchemaNode) : copy
}
