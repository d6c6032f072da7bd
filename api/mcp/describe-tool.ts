import { PROBLEMS } from '#kit'
import { isPaid, rateOf } from '../surfaces/entries.ts'
import { buildTool } from '../surfaces/mcp/tools.ts'
import { replaceSamples } from '../surfaces/openapi/examples.ts'
import { describePrice, listPrice } from '../surfaces/prices.ts'
import { readSurfaceState } from '../surfaces/state.ts'
import { findTool } from './call-tool.ts'
import { describeValues, type ToolResult } from './content.ts'
import type { McpExchange } from './exchange.ts'

/** Everything about one tool, for an agent that was not shown it. */
export function describeTool(exchange: McpExchange, name: unknown): ToolResult {
  const { entry } = findTool(exchange, name)
  const { options } = readSurfaceState(exchange.context)
  const { method, path, examples, errors } = entry
  return describeValues({
    ...buildTool(entry, options, 'whole'),
    sameAs: `${method} ${path}`,
    examples: examples.map(({ title, input, answer }) => ({ title, arguments: replaceSamples(input), answer })),
    ...(isPaid(entry) && {
      price: { text: describePrice(entry, options.rateOf), ...listPrice(entry.price, rateOf(entry, options.rateOf)) },
    }),
    errors: Object.fromEntries(errors.map(code => [code, PROBLEMS[code][1]])),
  })
}
