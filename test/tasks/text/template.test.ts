import { describe, expect, test } from 'vitest'
import { runOperation } from '../../support/operations.ts'

const fill = async (template: string, data: object, options = {}) =>
  (await runOperation('text.template', { template, data, ...options })).text
const mustache = (template: string, data: object, options = {}) =>
  fill(template, data, { engine: 'mustache', ...options })

test('fills Liquid: filters, loops, conditions, partials', async () => {
  const template =
    '{% for i in items %}{{ i | upcase }}{% unless forloop.last %}, {% endunless %}{% endfor %}{% render "end", x: 1 %}'
  expect(await fill(template, { items: ['a', 'b'] }, { partials: { end: ' ({{ x }})' } })).toBe('A, B (1)')
})

describe('Mustache', () => {
  test.each([
    ['{{a.b}} {{{c}}} {{&c}}', { a: { b: 1 }, c: '<' }, '1 < <'],
    ['{{#a}}{{x}}{{y}};{{/a}}', { a: [{ x: 1 }, { x: 2 }], y: 'y' }, '1y;2y;'],
    ['{{^a}}none{{/a}}{{#a}}some{{/a}}', { a: [] }, 'none'],
    ['a\n{{! note }}\nb\n  {{#x}}\nc\n  {{/x}}\n', { x: true }, 'a\nb\nc\n'],
    ['{{=<% %>=}}<% x %>{{x}}', { x: 1 }, '1{{x}}'],
    ['{{#l}}{{.}}{{/l}}', { l: [1, 'a'] }, '1a'],
    ['{{> p}}', { x: 1 }, '<1>'],
  ])('fills %j', async (template, data, text) => {
    expect(await mustache(template, data, { partials: { p: '<{{x}}>' } })).toBe(text)
  })

  test.each(['{{#a}}', '{{/a}}', '{{a', '{{#a}}{{#b}}{{/a}}{{/b}}', '{{> none}}', '{{=x=}}'])(
    'refuses %s',
    async template => {
      await expect(mustache(template, { a: 1, b: 1 })).rejects.toMatchObject({
        code: 'TEMPLATE_SYNTAX',
        hints: { line: 1 },
      })
    },
  )

  test('ends with partials within themselves', async () => {
    await expect(mustache('{{> a}}', {}, { partials: { a: '{{> a}}' } })).rejects.toMatchObject({
      code: 'TEMPLATE_SYNTAX',
    })
    await expect(mustache('{{> a}}', {}, { partials: { a: '{{> a}}'.repeat(1000) } })).rejects.toBeDefined()
  })

  test('keeps its output within bounds', async () => {
    const list = Array.from({ length: 1000 }, (_, index) => index)
    const template = '{{#l}}{{#l}}{{#l}}0123456789{{/l}}{{/l}}{{/l}}'
    await expect(mustache(template, { l: list })).rejects.toMatchObject({ code: 'OUTPUT_TOO_LARGE' })
  })
})

test.each(['liquid', 'mustache'])('says which variable is missing in %s, or leaves it empty', async engine => {
  await expect(fill('a\n{{ none }}', {}, { engine })).rejects.toMatchObject({
    code: 'TEMPLATE_VARIABLE',
    hints: { name: 'none', line: 2 },
  })
  expect(await fill('a{{ none }}', {}, { engine, strictVariables: false })).toBe('a')
})

test.each([
  ['html', `<a href="'">&`, '&lt;a href=&quot;&#39;&quot;&gt;&amp;'],
  ['xml', "'", '&apos;'],
  ['json', 'a"\n', 'a\\"\\n'],
  ['markdown', '*a* [b]', '\\*a\\* \\[b\\]'],
  ['csv', 'a,"b"', '"a,""b"""'],
])('writes values safe for %s in both engines', async (manner, value, text) => {
  for (const engine of ['liquid', 'mustache'])
    expect(await fill('{{ x }}', { x: value }, { escape: manner, engine })).toBe(text)
})

test.each(['constructor', '__proto__', 'x.constructor', 'x.__proto__.toString', 'toString', 'x.length.constructor'])(
  'does not reach %s',
  async name => {
    for (const engine of ['liquid', 'mustache']) {
      expect(await fill(`{{ ${name} }}`, { x: 'a' }, { engine, strictVariables: false })).toBe('')
    }
  },
)

test.each([
  "{% render 'package.json' %}",
  "{% include '/etc/passwd' %}",
  "{% layout 'package.json' %}",
  '{% if %}',
  '{{ "a" | nofilter }}',
  '{% for %}',
])('refuses %s', async template => {
  await expect(fill(template, {})).rejects.toMatchObject({ code: 'TEMPLATE_SYNTAX' })
})

test('stops a template that never ends or grows without bounds', async () => {
  const loops = '{% for a in (1..99999) %}{% for b in (1..99999) %}{% endfor %}{% endfor %}'
  await expect(fill(loops, {})).rejects.toMatchObject({ code: expect.stringMatching(/^(TIME|MEMORY)_LIMIT_EXCEEDED$/) })
  const grow = '{% assign s = "x" %}{% for i in (1..60) %}{% assign s = s | append: s %}{% endfor %}'
  await expect(fill(grow, {})).rejects.toMatchObject({ code: expect.stringMatching(/^(TIME|MEMORY)_LIMIT_EXCEEDED$/) })
})

test('makes one text or one file of each row', async () => {
  const body = { template: 'Dear {{ name }}', rows: [{ name: 'A' }, { name: 'B' }] }
  expect((await runOperation('text.template', { ...body, separator: '\n--\n' })).text).toBe('Dear A\n--\nDear B')
  const { files } = (await runOperation('text.template', { ...body, combine: 'files' })) as {
    files?: { bytes: Buffer; name: string }[]
  }
  expect(files!.map(({ bytes, name }) => [name, bytes.toString()])).toEqual([
    ['text-1.txt', 'Dear A'],
    ['text-2.txt', 'Dear B'],
  ])
  const rows = Array.from({ length: 101 }, () => ({ name: 'x' }))
  await expect(runOperation('text.template', { ...body, rows, combine: 'files' })).rejects.toMatchObject({
    code: 'TOO_MANY_OUTPUTS',
    hints: { outputs: 101, max: 100 },
  })
})

test('refuses data and rows together', async () => {
  await expect(runOperation('text.template', { template: '', data: {}, rows: [{}] })).rejects.toMatchObject({
    code: 'CONFLICTING_OPTIONS',
  })
})
