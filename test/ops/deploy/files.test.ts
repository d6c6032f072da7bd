import { existsSync, globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { LANES } from '#kit'
import { Variables } from '../../../ops/config.ts'
import { ROOT } from '../../support/house/files.ts'

const paths = globSync('ops/deploy/**/*.*', { cwd: ROOT })
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8')
const chart = paths.filter(path => path.includes('/helm/'))
const values = read('ops/deploy/helm/values.yaml')
/** Of the platforms, not of ours. */
const FOREIGN_VARIABLES = new Set(['PATH'])

test('the units and the chart start scripts that exist', () => {
  const scripts = paths.flatMap(path =>
    [...read(path).matchAll(/\b(?:ops|api|workers)\/[\w/-]+\.ts\b/g)].map(([name]) => name),
  )
  expect(new Set(scripts)).toEqual(
    new Set(['ops/start.ts', 'ops/cli.ts', 'api/main.ts', 'workers/main.ts', 'api/console/main.ts']),
  )
  expect(scripts.filter(path => !existsSync(join(ROOT, path)))).toEqual([])
})

test('the units and the chart set variables that exist', () => {
  const known = new Set([...Object.keys(Variables.properties), ...FOREIGN_VARIABLES])
  const inUnits = paths.filter(path => path.includes('/systemd/')).flatMap(path => listVariables(read(path)))
  const inChart = chart.flatMap(path => [...read(path).matchAll(/name: ([A-Z][A-Z0-9_]+),/g)].map(([, name]) => name!))
  const inValues = [...values.matchAll(/^ {2}([A-Z][A-Z0-9_]+):/gm)].map(([, name]) => name!)
  expect(Math.min(inUnits.length, inChart.length, inValues.length)).toBeGreaterThan(2)
  expect([...inUnits, ...inChart, ...inValues].filter(name => !known.has(name))).toEqual([])
})

function listVariables(unit: string): string[] {
  const assigned = unit.split('\n').flatMap(line => (/^#?[A-Z]\w*=/.test(line) ? [line.replace('#', '')] : []))
  const inLines = unit.split('\n').flatMap(line => (line.startsWith('Environment=') ? line.slice(12).split(' ') : []))
  return [...assigned, ...inLines].map(text => text.split('=')[0]!).filter(name => /^[A-Z][A-Z0-9_]+$/.test(name))
}

test('the workers of the chart take every lane, and its templates name values that there are', () => {
  const lanes = [...values.matchAll(/lanes: \[([^\]]*)\]/g)].flatMap(([, list]) => list!.split(', '))
  expect(lanes.toSorted()).toEqual([...LANES].toSorted())
  const named = chart.flatMap(path =>
    [...read(path).matchAll(/\.Values\.([\w.]+)/g)].map(([, name]) => name!.split('.')),
  )
  const isThere = ([top, inner]: string[]) =>
    new RegExp(`^${top}:${inner ? `[^\\n]*\\n(?:(?: .*)?\\n)* {2}${inner}:` : ''}`, 'm').test(values)
  expect(named.length).toBeGreaterThan(10)
  expect(named.filter(name => !isThere(name))).toEqual([])
  expect(isThere(['api', 'replica'])).toBe(false)
})

test('the proxies ask for the route that tells whether an api is well', () => {
  expect(read('ops/deploy/proxy/haproxy.cfg')).toContain('GET /health')
  expect(read('ops/deploy/proxy/Caddyfile')).toContain('health_uri /health')
  expect(existsSync(join(ROOT, 'api/routes/system/health.ts'))).toBe(true)
})
