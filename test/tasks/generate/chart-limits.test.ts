import { afterAll, expect, test } from 'vitest'
import { runJob, sharedPools } from '../../support/pools/open.ts'

const pools = await sharedPools()
afterAll(() => pools[Symbol.asyncDispose]())

const draw = ({ data, ...body }: Record<string, unknown>) =>
  runJob(pools, 'generate.chart', {
    outFormat: 'svg',
    ...body,
    ...(data !== undefined && { data: Buffer.from(String(data)) }),
  })

/** A specification whose transforms read so many rows, with columns `a` and `b`. */
const overRows = (rows: number, ...transform: object[]) => {
  const made = { type: 'sequence', start: 0, stop: rows, as: 'a' }
  return {
    data: [{ name: 'd', transform: [made, { type: 'formula', as: 'b', expr: 'datum.a % 97' }, ...transform] }],
    marks: [],
  }
}
const frame = (ops: string[], from: number | null, to: number | null) => ({
  ...{ type: 'window', ops, fields: ops.map(() => 'b'), as: ops, frame: [from, to] },
})
const COLLIDE = { type: 'force', static: true, iterations: 900, forces: [{ force: 'collide', radius: 9 }] }
const KDE = { function: 'kde', from: 'd', field: 'a' }
const ALL = { type: 'formula', as: 'c', expr: "extent(pluck(data('d'), 'a'))[0]" }
const READER = { name: 'e', source: 'd', transform: [ALL] }
const GRATICULE = { type: 'graticule', stepMajor: [0.001, 0.001] }
const RING = Array.from({ length: 5_001 }, (_, index) => `n${index},1,n${(index + 1) % 5_001}`).join('\n')

test.each([
  ['windows', overRows(50_000, frame(['median'], -5000, 5000)), 'steps of window'],
  ['growing windows', overRows(50_000, frame(['values'], null, 0)), 'steps of window'],
  ['extremes of windows', overRows(50_000, frame(['max'], -25_000, 25_000)), 'steps of window'],
  ['local regressions', overRows(50_000, { type: 'loess', x: 'a', y: 'b' }), 'steps of loess'],
  [
    'polynomials',
    overRows(9_000, { type: 'regression', method: 'poly', order: 99, x: 'a', y: 'b' }),
    'steps of regression',
  ],
  ['pivots', overRows(9_000, { type: 'pivot', field: 'a', value: 'b' }), 'steps of pivot'],
  ['imputed rows', overRows(9_000, { type: 'impute', field: 'b', key: 'a', groupby: ['b'] }), 'impute'],
  ['forces', overRows(9_000, { ...COLLIDE, forces: [{ force: 'nbody' }] }), 'steps of force'],
  ['collisions', overRows(900, COLLIDE), 'steps of force'],
  ['bins', overRows(9, { type: 'bin', field: 'a', extent: [0, 9], step: 1e-6 }), 'bin'],
  ['meridians', { data: [{ name: 'g', transform: [GRATICULE] }], marks: [] }, 'graticule'],
  ['lists read for each row', { ...overRows(9_000), data: [...overRows(9_000).data, READER] }, /^values read/],
  [
    'densities',
    {
      data: [
        ...overRows(50_000).data,
        { name: 'k', transform: [{ type: 'density', steps: 9_999, distribution: KDE }] },
      ],
      marks: [],
    },
    'steps of density',
  ],
  [
    'contours',
    overRows(
      9,
      { type: 'kde2d', size: [900, 900], x: 'a', y: 'b', as: 'g' },
      { type: 'isocontour', field: 'g', levels: 9_999 },
    ),
    'steps of isocontour',
  ],
  [
    'names on an axis',
    {
      ...overRows(9),
      scales: [{ name: 's', type: 'band', domain: { signal: 'sequence(30000)' } }],
      axes: [{ scale: 's', orient: 'left' }],
    },
    'values on an axis',
  ],
])('refuses to draw too many %s before they are drawn', async (_, spec, of) => {
  await expect(draw({ spec })).rejects.toMatchObject({
    code: 'TOO_MANY_ROWS',
    hints: { of: expect.stringMatching(of) },
  })
})

test.each([
  ['windows over few rows', overRows(4_000, frame(['median', 'max'], -50, 50), frame(['max'], null, null))],
  ['a local regression', overRows(2_000, { type: 'loess', x: 'a', y: 'b' })],
  ['a swarm', overRows(200, { ...COLLIDE, iterations: 300 })],
])('draws %s', async (_, spec) => {
  expect((await draw({ spec })).bytes.toString()).toContain('<svg')
})

test.each([
  [{ type: 'sankey', x: 'a', color: 'c', y: 'b' }, 'nodes'],
  [{ type: 'radar', x: 'a', y: 'b' }, 'axes'],
  [{ type: 'donut', x: 'a', y: 'b' }, 'slices'],
])('refuses too much for %j', async (body, of) => {
  const chart = draw({ ...body, data: `a,b,c\n${RING}\n` })
  await expect(chart).rejects.toMatchObject({ code: 'TOO_MANY_ROWS', hints: { of } })
})
