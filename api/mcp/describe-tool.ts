import { type Entry, PROBLEMS } from '#kit'
import { isPaid, priceOf, type SurfaceOptions } from '../surfaces/entries.ts'
import { exampleArguments } from '../surfaces/mcp/arguments.ts'
import { buildTool, type ToolDetail, type ToolEntry } from '../surfaces/mcp/tools.ts'
import { replaceSamples } from '../surfaces/openapi/examples.ts'
import { describePrice, listPrice } from '../surfaces/prices.ts'
import { readWholeState } from '../surfaces/state.ts'
import { findTool } from './call-tool.ts'
import { describeValues, type ToolResult } from './content.ts'
import type { McpExchange } from './exchange.ts'

/** About 1,000 tokens: more of one tool than that is seldom needed, and the rest is a link. */
const MAX_LENGTH = 3_400

interface Extent {
  detail: ToolDetail
  examples: number
  hasErrorTexts: boolean
}

const EXTENTS: readonly Extent[] = [
  { detail: 'whole', examples: 9, hasErrorTexts: true },
  { detail: 'whole', examples: 2, hasErrorTexts: false },
  { detail: 'brief', examples: 2, hasErrorTexts: false },
  { detail: 'brief', examples: 1, hasErrorTexts: false },
  { detail: 'inner', examples: 1, hasErrorTexts: false },
  { detail: 'short', examples: 1, hasErrorTexts: false },
  { detail: 'names', examples: 1, hasErrorTexts: false },
  { detail: 'names', examples: 0, hasErrorTexts: false },
]

/** What an agent needs of one tool that it was not shown. */
export async function describeTool(exchange: McpExchange, name: unknown): Promise<ToolResult> {
  const { entry } = findTool(exchange, name)
  const { options } = await readWholeState(exchange.context)
  return describeValues(buildToolDescription(entry, options))
}

export function buildToolDescription(entry: ToolEntry, options: SurfaceOptions): object {
  const texts = EXTENTS.map(extent => describeWith(entry, options, extent))
  return texts.find(text => JSON.stringify(text).length <= MAX_LENGTH) ?? texts.at(-1)!
}

function describeWith(entry: ToolEntry, options: SurfaceOptions, extent: Extent): object {
  const { detail, hasErrorTexts } = extent
  const { inputSchema, ...tool } = buildTool(entry, options, detail)
  const { method, path, errors } = entry
  const { examples: _listedBelow, ...schema } = inputSchema
  return {
    ...tool,
    inputSchema: schema,
    sameAs: `${method} ${path}`,
    examples: listExamples(entry, extent),
    ...(isPaid(entry) && {
      price: { text: describePrice(entry, options.ratesOf), ...listPrice(priceOf(entry, options.ratesOf)) },
    }),
    errors: extent.examples > 0 ? listErrors(errors, hasErrorTexts) : groupErrors(errors),
    ...(detail !== 'whole' && { wholeSchema: `${options.publicUrl}/openapi.json?operations=${entry.name}` }),
  }
}

/** Of many errors, only the status is told. */
function listErrors(errors: Entry['errors'], hasTexts: boolean): object {
  return Object.fromEntries(errors.map(code => [code, PROBLEMS[code][hasTexts ? 1 : 0]]))
}

/** By status, where every word counts. */
function groupErrors(errors: Entry['errors']): object {
  return Object.groupBy(errors, code => PROBLEMS[code][0])
}

function listExamples(entry: Entry, { examples: count }: Extent): object[] {
  return entry.examples.slice(0, count).map(({ title, input, answer }) => ({
    title,
    arguments: exampleArguments(entry, replaceSamples(input)),
    answer,
  }))
}
