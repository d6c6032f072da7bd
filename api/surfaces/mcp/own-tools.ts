import type { Tool } from './tools.ts'

const NAME = { type: 'string', description: 'The name of a tool: pdf_merge.' }

/** The tools that only MCP has: with search_tools, an agent that is shown few tools can use them all. */
export const DESCRIBE_TOOL: Tool = {
  name: 'describe_tool',
  title: 'Describe a tool',
  description:
    'Get everything about one tool: its fields, examples, price and errors. Find its name with search_tools. Free.',
  inputSchema: {
    type: 'object',
    properties: { name: NAME },
    required: ['name'],
    additionalProperties: false,
    examples: [{ name: 'pdf_merge' }],
  },
  annotations: {
    title: 'Describe a tool',
    readOnlyHint: true,
    destructiveHint: false,
    idempotentHint: true,
    openWorldHint: false,
  },
}

export const CALL_TOOL: Tool = {
  name: 'call_tool',
  title: 'Call any tool',
  description:
    'Call any tool of this service by its name, also one that is not listed here. Find it with search_tools and read ' +
    'its fields with describe_tool. Costs what that tool costs.',
  inputSchema: {
    type: 'object',
    properties: {
      name: NAME,
      arguments: { type: 'object', description: 'The fields of that tool.', additionalProperties: true },
    },
    required: ['name'],
    additionalProperties: false,
    examples: [{ name: 'utils_uuid', arguments: { count: 2 } }],
  },
  annotations: {
    title: 'Call any tool',
    readOnlyHint: false,
    destructiveHint: true,
    idempotentHint: false,
    openWorldHint: true,
  },
}
