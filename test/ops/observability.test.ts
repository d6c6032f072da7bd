import { readFileSync } from 'node:fs'
import { parser } from '@prometheus-io/lezer-promql'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { parse } from 'yaml'
import { openDefaultStack } from '../support/stack/default.ts'
import type { Stack } from '../support/stack/start.ts'

const FOLDER = new URL('../../ops/observability/', import.meta.url)
const read = (name: string) => readFileSync(new URL(name, FOLDER), 'utf8')

interface Rule {
  alert: string
  expr: string
  labels: { severity: string }
  annotations: { summary: string; runbook: string }
}
interface Panel {
  title: string
  gridPos: { x: number; y: number; w: number; h: number }
  targets?: { expr: string }[]
}

const { groups } = parse(read('alerts.yml')) as { groups: { rules: Rule[] }[] }
const rules = groups.flatMap(group => group.rules)
const { panels } = JSON.parse(read('dashboard.json')) as { panels: Panel[] }
const queries = panels.flatMap(({ title, targets = [] }) => targets.map(({ expr }) => [title, expr] as const))
const page = read('../observability.md')

let stack: Stack
beforeAll(async () => {
  stack = await openDefaultStack()
})
afterAll(() => stack[Symbol.asyncDispose]())

/** The metrics that a query names, with the labels that it asks of each. Throws if it is no PromQL. */
function listMetrics(query: string): [name: string, labels: string[]][] {
  const found: [string, string[]][] = []
  const tree = parser.parse(query)
  tree.iterate({
    enter({ name, type, from, to, node }) {
      if (type.isError) throw new Error(`not PromQL at ${from}: ${query}`)
      if (name !== 'VectorSelector') return
      const metric = node.getChild('Identifier')!
      const text = query.slice(from, to)
      const labels = [...text.matchAll(/[{,]\s*(\w+)\s*(?:=~|!~|!=|=)/g)].map(([, label]) => label!)
      found.push([query.slice(metric.from, metric.to), labels])
    },
  })
  return found
}

/** The metrics of both roles: the names of their samples, with the labels of each. */
async function readExposed(): Promise<Map<string, Set<string>>> {
  const pages = await Promise.all(
    [stack.adminUrl, stack.workerAdminUrl].map(async url => (await fetch(`${url}/metrics`)).text()),
  )
  const lines = pages.join('\n').split('\n')
  const exposed = new Map(lines.flatMap(readNames).map(name => [name, new Set<string>()]))
  for (const line of lines) {
    const [, name = '', labels = ''] = /^([a-z_]+)(?:\{(.*)\})? \S+$/.exec(line) ?? []
    for (const [, label] of labels.matchAll(/(\w+)="/g)) exposed.get(name)?.add(label!)
  }
  return exposed
}

/** The names of the samples that a line declares. */
function readNames(line: string): string[] {
  const [, name, kind] = /^# TYPE (\S+) (\S+)$/.exec(line) ?? []
  if (name === undefined) return []
  return kind === 'histogram' ? ['_bucket', '_count', '_sum'].map(end => name + end) : [name]
}

/** What Prometheus adds to what it scrapes. */
const OF_PROMETHEUS = ['job', 'instance']

test('every query of the dashboard and of the alerts is PromQL, and names metrics and labels that the service has', async () => {
  const customer = await stack.customer()
  await customer.post('/v1/utils/hash', { text: 'hello' })
  await customer.post('/v1/utils/hash', { text: 'hello', async: true }).then(({ body }) => customer.waitForEnd(body.id))
  const broken = await customer.post('/v1/pdf/rotate', { file: { inline: btoa('%PDF-x') }, degrees: '90' })
  expect(broken.status).toBe(422)
  const exposed = await readExposed()
  const faults = [...queries, ...rules.map(({ alert, expr }) => [alert, expr] as const)].flatMap(([where, query]) =>
    listMetrics(query).flatMap(([name, labels]) => {
      if (name === 'up') return []
      const known = exposed.get(name)
      if (!known) return [`${where}: there is no metric ${name}`]
      // A metric without samples here, such as calls of providers, shows no labels.
      const unknown = labels.filter(label => known.size > 0 && !known.has(label) && !OF_PROMETHEUS.includes(label))
      return unknown.map(label => `${where}: ${name} has no label ${label}`)
    }),
  )
  expect(faults).toEqual([])
  expect(queries.length).toBeGreaterThan(40)
  for (const planted of ['sum(rate(coinop_x[5m])', 'sum rate(x)'])
    expect(() => listMetrics(planted), planted).toThrow('not PromQL')
  expect(exposed.has(listMetrics('rate(coinop_http_requests_total[5m])')[0]![0])).toBe(false)
})

test('every alert says how grave it is and where to read what to do, and the page has each of them and no other', () => {
  const sections = [...page.matchAll(/^### (\w+)\n\n(.+)\n\n(.+)$/gm)].map(([, name]) => name)
  expect(sections).toEqual(rules.map(({ alert }) => alert))
  for (const { alert, labels, annotations } of rules) {
    expect(['page', 'ticket', 'info'], alert).toContain(labels.severity)
    expect(annotations.runbook).toBe(`ops/observability.md#${alert.toLowerCase()}`)
  }
})

test('the page tells of every metric of ours', async () => {
  const names = [...(await readExposed()).keys()].filter(name => /^coinop_(?!api_|worker_)/.test(name))
  const bases = new Set(names.map(name => name.replace(/_(bucket|count|sum)$/, '')))
  expect([...bases].filter(name => !page.includes(`\`${name}\``))).toEqual([])
})

test('no panels of the dashboard overlap', () => {
  const cells = panels.flatMap(({ gridPos: { x, y, w, h } }) =>
    Array.from({ length: w * h }, (_, index) => `${x + (index % w)} ${y + Math.floor(index / w)}`),
  )
  expect(new Set(cells).size).toBe(cells.length)
})
