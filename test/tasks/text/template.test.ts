import { describe, expect, test } from 'vitest'
import { runOperation } from '../../support/operations/run.ts'

const fill = async (template: string, data: object, options = {}) =>
  (await runOperation('text.template', { template, data, ...options })).text
const mustache = (template: string, data: object, options = {}) =>
  fill(template, data, { engine: 'mustache', ...options })

test('renders Liquid: filters, loops, conditions, partials', async () => {
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
  ])('renders %j', async (template, data, text) => {
    expect(await mustache(template, data, { partials: { p: '<{{x}}>' } })).toBe(text)
  })

  test.each(['{{#a}}', '{{/a}}', '{{a', '{{#a}}{{#b}}{{/a}}{{/b}}', '{{> none}}', '{{=x=}}'])(
    'rejects %s',
    async template => {
      await expect(mustache(template, { a: 1, b: 1 })).rejects.toMatchObject({
        code: 'TEMPLATE_SYNTAX',
        hints: { line: 1 },
      })
    },
  )

  test('rejects recursive partials', async () => {
    await expect(mustache('{{> a}}', {}, { partials: { a: '{{> a}}' } })).rejects.toMatchObject({
      code: 'TEMPLATE_SYNTAX',
    })
    await expect(mustache('{{> a}}', {}, { partials: { a: '{{> a}}'.repeat(1000) } })).rejects.toBeDefined()
  })

  test('limits its output', async () => {
    const list = Array.from({ length: 1000 }, (_, index) => index)
    const template = '{{#l}}{{#l}}{{#l}}0123456789{{/l}}{{/l}}{{/l}}'
    await expect(mustache(template, { l: list })).rejects.toMatchObject({ code: 'OUTPUT_TOO_LARGE' })
  })
})

test.each(['liquid', 'mustache'])('reports which variable is missing in %s, or leaves it empty', async engine => {
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
])('escapes values for %s in both engines', async (escaping, value, text) => {
  for (const engine of ['liquid', 'mustache'])
    expect(await fill('{{ x }}', { x: value }, { escape: escaping, engine })).toBe(text)
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
])('rejects %s', async template => {
  await expect(fill(template, {})).rejects.toMatchObject({ code: 'TEMPLATE_SYNTAX' })
})

test('stops a template that runs or grows without bounds', async () => {
  const loops = '{% for a in (1..99999) %}{% for b in (1..99999) %}{% endfor %}{% endfor %}'
  await expect(fill(loops, {})).rejects.toMatchObject({ code: expect.stringMatching(/^(TIME|MEMORY)_LIMIT_EXCEEDED$/) })
  const grow = '{% assign s = "x" %}{% for i in (1..60) %}{% assign s = s | append: s %}{% endfor %}'
  await expect(fill(grow, {})).rejects.toMatchObject({ code: expect.stringMatching(/^(TIME|MEMORY)_LIMIT_EXCEEDED$/) })
})

test('renders rows as one text or as one file each', async () => {
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

test('rejects data and rows together', async () => {
  await expect(runOperation('text.template', { template: '', data: {}, rows: [{}] })).rejects.toMatchObject({
    code: 'CONFLICTING_OPTIONS',
  })
})

test.each([
  ['{{ 9 | divided_by: 2 }}', '4'],
  ['{{ -9 | divided_by: 2 }}', '-5'],
  ['{{ n | divided_by: d }}', '4'],
  ['{{ "9" | divided_by: "2" }}', '4'],
  ['{{ 9 | divided_by: 2.0 }}', '4.5'],
  ['{{ 9.5 | divided_by: 2 }}', '4.75'],
  ['{{ 9 | modulo: 2 }}', '1'],
])('calculates %s as Liquid does', async (template, text) => {
  expect(await fill(template, { n: 9, d: 2 })).toBe(text)
})

test.each([
  '{{ 9 | divided_by: 0 }}',
  '{{ 9 | modulo: 0 }}',
  '{{ 9 | divided_by }}',
  '{{ 9 | plus }}',
  '{{ "a" | append }}',
  '{{ "a" | replace }}',
  '{{ "a,b" | split }}',
])('rejects %s with its line', async template => {
  await expect(fill(`\n${template}`, {})).rejects.toMatchObject({ code: 'TEMPLATE_SYNTAX', hints: { line: 2 } })
})

test.each([
  ['>\n  {{> p}}\n<', '|\n{{{x}}}\n|\n', '>\n  |\n  a\nb\n  |\n<'],
  [' {{> p}}', 'a\n\nb', ' a\n\n b'],
  ['  {{> q}}\n', '[{{x}}]\n', '  (\n    [a\nb]\n  )\n'],
  ['x {{> p}}\n', 'a\nb', 'x a\nb\n'],
])('keeps the indentation of the partial in %j', async (template, p, text) => {
  expect(await mustache(template, { x: 'a\nb' }, { partials: { p, q: '(\n  {{> p}}\n)\n' } })).toBe(text)
})

test('limits what indentation adds to partials', async () => {
  const template = Array.from({ length: 600 }, (_, indent) => `${' '.repeat(indent)}{{> p}}\n`).join('')
  const partials = { p: '{{^a}}\n{{/a}}\n'.repeat(10_000) }
  await expect(mustache(template, { a: 1 }, { partials })).rejects.toMatchObject({ code: 'OUTPUT_TOO_LARGE' })
})

test.each([
  ['2024-03-01T00:30:00+02:00', '01.03.2024 00:30 +0200'],
  ['2024-03-01 00:30:00 -0530', '01.03.2024 00:30 -0530'],
  ['2024-03-01T00:30:00Z', '01.03.2024 00:30 +0000'],
  ['01-03-2024', '03.01.2024 00:00 +0000'],
])('keeps the offset of %s, as Liquid does', async (d, text) => {
  expect(await fill("{{ d | date: '%d.%m.%Y %H:%M %z' }}", { d })).toBe(text)
})

test('warns of whole numbers that may have lost digits', async () => {
  for (const engine of ['liquid', 'mustache']) {
    const body = { template: '{{ n }}', engine }
    const answer = await runOperation('text.template', { ...body, data: { n: JSON.parse('12345678901234567') } })
    expect(answer.warnings).toMatchObject([{ code: 'NUMBER_ROUNDED' }])
    const exact = await runOperation('text.template', {
      ...body,
      rows: [{ n: '12345678901234567' }, { n: 2 ** 53 - 1 }],
    })
    expect(exact).toEqual({ text: '123456789012345679007199254740991' })
  }
})
