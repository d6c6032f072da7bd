import { Ajv2020 } from 'ajv/dist/2020.js'
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base'
import { expect, test } from 'vitest'
import { fieldEntries } from '#kit'
import { loadCatalog } from '../../../api/catalog.ts'
import { buildToolDescription } from '../../../api/mcp/describe-tool.ts'
import { bodyArgumentOf, headersByArgument } from '../../../api/surfaces/mcp/arguments.ts'
import { CALL_TOOL, DESCRIBE_TOOL } from '../../../api/surfaces/mcp/own-tools.ts'
import { buildTool, isTool, type Tool } from '../../../api/surfaces/mcp/tools.ts'
import type { Plain } from '../../../api/surfaces/openapi/plain-schema.ts'

const { entries } = await loadCatalog({ isPayable: true })
const options = { publicUrl: 'https://api.example', version: '1' }
const toolEntries = entries.filter(isTool)
const whole = toolEntries.map(entry => buildTool(entry, options, 'whole'))
const brief = [DESCRIBE_TOOL, CALL_TOOL, ...toolEntries.map(entry => buildTool(entry, options, 'brief'))]

function listNodes(schema: unknown): Plain[] {
  if (typeof schema !== 'object' || schema === null) return []
  return [schema as Plain, ...Object.values(schema).flatMap(listNodes)]
}

/** What is no tool, and why. */
const NO_TOOLS: Record<string, readonly string[]> = {
  // A connector or a leaked key must not give itself more rights, and the top-up ends in a browser.
  'for signed-in people': [
    'account.change-key',
    'account.connectors',
    'account.create-key',
    'account.drop-key',
    'account.limit-connector',
    'account.list-keys',
    'account.revoke-connector',
    'account.rotate-key',
    'billing.checkout',
  ],
  // describe_tool and search_tools say the same in fewer words, and openai.models lists every model.
  'descriptions of the service': [
    'openai.model',
    'system.did-document',
    'system.docs',
    'system.llms',
    'system.llms-full',
    'system.llms-page',
    'system.mcp-tools',
    'system.openapi',
  ],
  // Only a person can sign.
  'for signers, who hold a link': [
    'esigndoc.complete-signing',
    'esigndoc.decline-signing',
    'esigndoc.open-signing',
    'esigndoc.prove-identity',
    'esigndoc.reassign-signing',
    'esigndoc.request-code',
    'esigndoc.save-values',
    'esigndoc.upload-value',
  ],
  // An agent that has these tools needs no client.
  'packages of clients': [
    'system.sdk-cli',
    'system.sdk-npm',
    'system.sdk-wheel',
    'system.sdk-wheel-address',
    'system.sdk-wheel-link',
  ],
  // A client has found the server already, and probes are not for models.
  'discovery and probes': [
    'system.ai-catalog',
    'system.api-catalog',
    'system.health',
    'system.mcp-bundle',
    'system.mcp-card',
    'system.mcp-well-known',
    'system.oauth-resource',
    'system.oauth-resource-path',
    'system.oauth-server',
    'system.status',
  ],
}

test('every call is a tool but for these', () => {
  const names = toolEntries.map(({ tool }) => tool)
  expect(names).toEqual(expect.arrayContaining(['pdf_from_html', 'job_get', 'search_tools', 'leases_drop_message']))
  expect(new Set(names).size).toBe(names.length)
  const others = entries.filter(entry => !isTool(entry)).map(({ name }) => name)
  expect(others.sort()).toEqual(Object.values(NO_TOOLS).flat().sort())
})

test('every declared input of a call is an argument of its tool', () => {
  for (const entry of toolEntries) {
    const { inputSchema, name } = buildTool(entry, options, 'whole')
    const inPath = [...entry.path.matchAll(/\{([^}]+)\}/g)].map(([, parameter]) => parameter)
    const fields = [entry.query, entry.streamBody ? undefined : entry.body].flatMap(schema =>
      schema ? fieldEntries(schema).map(([field]) => field) : [],
    )
    const inHeaders = [...headersByArgument(entry).keys()]
    const body = bodyArgumentOf(entry) ?? []
    const wanted = [...inPath, ...new Set(fields), ...inHeaders, ...[body].flat()]
    // One argument in two places could not be shown apart.
    expect(Object.keys(inputSchema.properties as Plain).sort(), name).toEqual(wanted.sort())
  }
})

test.each([
  ['whole', whole],
  ['brief', brief],
])('%s schemas are valid and have nothing that clients cannot read', (_name, tools: readonly Tool[]) => {
  const ajv = new Ajv2020({ strict: false, validateFormats: false })
  for (const { name, inputSchema } of tools) {
    expect(() => ajv.compile(inputSchema), name).not.toThrow()
    expect([inputSchema.type, inputSchema.oneOf, inputSchema.anyOf, inputSchema.allOf], name).toEqual([
      'object',
      undefined,
      undefined,
      undefined,
    ])
    const text = JSON.stringify(inputSchema)
    expect(text, name).not.toMatch(/"(\$ref|oneOf|discriminator|x-[a-z]+)":/)
    for (const node of listNodes(inputSchema.properties)) expect(node.anyOf, name).not.toEqual([])
  }
})

test('every example fits the schema that is shown with it', () => {
  const ajv = new Ajv2020({ strict: false, validateFormats: false })
  for (const { name, inputSchema } of [...whole, ...brief]) {
    const validate = ajv.compile(inputSchema)
    for (const example of (inputSchema.examples ?? []) as unknown[]) {
      expect(validate(example), `${name}: ${JSON.stringify(validate.errors)}`).toBe(true)
    }
  }
})

test('names, titles, descriptions and all four hints are there', () => {
  for (const { name, title, description, annotations } of brief) {
    expect(name).toMatch(/^[a-z0-9_]{3,64}$/)
    expect(title).toMatch(/^[A-Z]/)
    expect(description, name).toMatch(/(USD|Free|Costs)/)
    expect(Object.keys(annotations).sort()).toEqual(
      ['destructiveHint', 'idempotentHint', 'openWorldHint', 'readOnlyHint', 'title'].sort(),
    )
  }
  const hintsOf = (name: string) => brief.find(tool => tool.name === name)!.annotations
  expect(hintsOf('pdf_merge')).toMatchObject({ readOnlyHint: true, idempotentHint: true, openWorldHint: false })
  expect(hintsOf('jobs_cancel')).toMatchObject({ readOnlyHint: false, destructiveHint: true })
})

test('no tool has an output schema, because clients would check an offer to pay against it', () => {
  expect(brief.filter(tool => 'outputSchema' in tool)).toEqual([])
})

test('of alternatives, the fields of all are listed, and the text says which belong together', () => {
  const { inputSchema } = whole.find(({ name }) => name === 'pdf_pages')!
  expect(inputSchema.description).toMatch(/action=delete with file, pages/)
  expect(inputSchema.properties).toMatchObject({
    action: { enum: ['delete', 'delete-blank', 'reorder', 'insert'] },
    order: {},
    insert: {},
  })
  expect(inputSchema.required).toEqual(expect.arrayContaining(['file', 'action']))
})

test('the list that a model is shown first takes at most 6,000 tokens', () => {
  const shown = toolEntries.filter(({ isFeatured }) => isFeatured).map(entry => buildTool(entry, options, 'short'))
  const tools = [DESCRIBE_TOOL, CALL_TOOL, ...shown]
  expect(tools.length).toBeGreaterThanOrEqual(20)
  expect(countTokens(JSON.stringify({ tools }))).toBeLessThanOrEqual(6_000)
  for (const { name, inputSchema } of shown) {
    const { required, properties } = whole.find(tool => tool.name === name)!.inputSchema
    expect(inputSchema.required, name).toEqual(required)
    expect(Object.keys(properties as Plain), name).toEqual(expect.arrayContaining(Object.keys(inputSchema.properties!)))
  }
})

test('the description of a tool takes at most 1,000 tokens, with every field', () => {
  const common = ['async', 'dryRun', 'deliver', 'filename', 'inlineOutput']
  for (const entry of toolEntries) {
    const shown = buildToolDescription(entry, options) as Tool
    expect(countTokens(JSON.stringify(shown)), entry.name).toBeLessThanOrEqual(1_000)
    const fields = Object.keys(whole.find(({ name }) => name === entry.tool)!.inputSchema.properties as Plain)
    const named = [...common, ...Object.keys(shown.inputSchema.properties as Plain)]
    expect(named, entry.name).toEqual(expect.arrayContaining(fields))
  }
})

test('a description that is too long still names what is inside of fields', () => {
  const entry = toolEntries.find(({ tool }) => tool === 'screening_match')!
  const { properties } = (buildToolDescription(entry, options) as Tool).inputSchema as { properties: Plain }
  expect(properties.identifiers).toMatchObject({ items: { properties: { type: {}, value: {}, country: {} } } })
  const subject = { properties: { name: {}, dob: {}, identifiers: {} }, required: ['name'] }
  expect(properties.subjects).toMatchObject({ type: 'object', additionalProperties: subject })
})
