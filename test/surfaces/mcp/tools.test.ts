import { Ajv2020 } from 'ajv/dist/2020.js'
import { expect, test } from 'vitest'
import { loadCatalog } from '../../../api/catalog.ts'
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

test('every operation and every route that answers with data is a tool, sessions and documents are not', () => {
  const operations = entries.filter(({ kind }) => kind === 'operation')
  expect(operations.filter(entry => !isTool(entry))).toEqual([])
  const names = toolEntries.map(({ tool }) => tool)
  expect(names).toEqual(expect.arrayContaining(['pdf_from_html', 'job_get', 'search_tools', 'account_profile']))
  expect(names.filter(name => /^system_(docs|openapi|llms|mcp|health)/.test(name))).toEqual([])
  expect(toolEntries.filter(({ auth }) => auth.includes('session'))).toEqual([])
  expect(new Set(names).size).toBe(names.length)
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
    action: { enum: ['delete', 'reorder', 'insert'] },
    order: {},
    insert: {},
  })
  expect(inputSchema.required).toEqual(expect.arrayContaining(['file', 'action']))
})

test('the list that a model is shown first is short', () => {
  const featured = toolEntries.filter(({ isFeatured }) => isFeatured).map(({ tool }) => tool)
  const shown = brief.filter(
    ({ name }) => featured.includes(name) || [DESCRIBE_TOOL.name, CALL_TOOL.name].includes(name),
  )
  expect(shown.length).toBeLessThanOrEqual(40)
  expect(JSON.stringify(shown).length).toBeLessThan(60_000)
})
