import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { execa } from 'execa'
import { expect, test } from 'vitest'
import { averageCosts, formatCost, measureCost } from '../../../ops/bench/cost.ts'
import { isMet, type Reading } from '../../../ops/bench/figure.ts'
import { chooseFigures, loadFigures } from '../../../ops/bench/figures.ts'
import { median, quantile } from '../../../ops/bench/median.ts'
import { readProcessTime } from '../../../ops/bench/processor-time.ts'
import { formatJson, formatTable, type Report } from '../../../ops/bench/report.ts'
import { createPhotograph, createTextPdf } from '../../../ops/bench/samples.ts'
import { freshFolder } from '../../support/machine/folder.ts'

const figures = await loadFigures()

test('there is a figure for every goal, in order', () => {
  expect(figures.slice(0, 14).map(({ id }) => id)).toEqual(Array.from({ length: 14 }, (_, index) => `P${index + 1}`))
})

test('figures are chosen by name, and an unknown name is rejected', () => {
  expect(chooseFigures(figures, ['p3', 'P4']).map(({ id }) => id)).toEqual(['P3', 'P4'])
  expect(chooseFigures(figures, [])).toEqual(figures)
  expect(() => chooseFigures(figures, ['P3', 'P99'])).toThrow('There is no figure P99')
})

test.each([
  [[3, 1, 2], 2],
  [[4, 1, 2, 3], 2.5],
  [[7], 7],
])('the median of %j is %d', (values, middle) => {
  expect(median(values)).toBe(middle)
})

test('a quantile lies between its neighbours', () => {
  expect(quantile([0, 10], 0.25)).toBe(2.5)
  expect(quantile([], 0.5)).toBeNaN()
})

const buildReading = (part: Partial<Reading>): Reading => ({
  label: 'lane I',
  unit: 'calls/s',
  ours: 90,
  floor: 100,
  goal: { atLeast: 0.9 },
  judgedBy: 'ratio',
  limitedBy: 'the cores',
  ...part,
})

test.each([
  [{}, true],
  [{ ours: 89 }, false],
  [{ goal: { atMost: 0.9 } }, true],
  [{ goal: { atMost: 0.8 } }, false],
  [{ goal: { atMost: 80 }, judgedBy: 'ours' as const }, false],
  [{ goal: { atMost: 90 }, judgedBy: 'ours' as const }, true],
])('a reading with %j is met: %s', (part, met) => {
  expect(isMet(buildReading(part))).toBe(met)
})

const report: Report = {
  machine: {
    model: 'Some Core',
    cores: 2,
    memoryGiB: 8,
    kernel: '6',
    node: 'v24',
    loadAtStart: 0.25,
    generator: 'wrk',
    at: '2026-01-01T00:00:00Z',
  },
  profile: { rounds: 1, seconds: 1, warmUpSeconds: 1, windowSeconds: 1, bulk: 1 },
  seconds: 12,
  results: [
    { id: 'P1', title: 'first', readings: [buildReading({ ours: 12_345.6, floor: 10_000 })] },
    {
      id: 'P11',
      title: 'second',
      readings: [buildReading({ unit: 'MB', ours: 133.3, goal: { atMost: 100 }, judgedBy: 'ours' })],
    },
    { id: 'P9', title: 'third', readings: [], failure: 'no qpdf here\nand more' },
  ],
}

test('the table shows ours, floor, ratio, goal, whether it is met and what limits it', () => {
  const lines = formatTable(report).split('\n')
  expect(lines[0]).toBe('2 cores of Some Core, Node v24, wrk; load 0.3 at the start; 12 s')
  expect(lines[3]).toMatch(/^P1 +lane I \(calls\/s\) +12346 +10000 +1\.23 +>= 0\.9 +yes$/)
  expect(lines[4]?.trim()).toBe('the cores')
  expect(lines[5]).toMatch(/^P11 +lane I \(MB\) +133 +100 +- +<= 100 MB +no$/)
  expect(lines[7]).toMatch(/^P9 +third .*no$/)
  expect(lines[8]?.trim()).toBe('no qpdf here')
})

test('the JSON holds the machine, the ratios and the verdicts', () => {
  const { machine, results } = JSON.parse(formatJson(report))
  expect(machine.cores).toBe(2)
  expect(results[0].readings[0]).toMatchObject({ ratio: 1.23456, isMet: true })
  expect(results[1].readings[0].isMet).toBe(false)
})

test('processor time is counted by process, children included', async () => {
  const burn = 'const end = process.cpuUsage().user + 300_000; while (process.cpuUsage().user < end);'
  const before = readProcessTime(process.pid)
  const { cost } = await measureCost({}, () => execa(process.execPath, ['-e', burn]))
  const costPerCall = cost.perCall(1)
  expect(costPerCall.msPerCall.load).toBeGreaterThanOrEqual(300)
  expect(costPerCall.busyShare).toBeGreaterThan(0)
  expect(readProcessTime(process.pid)).toBeGreaterThanOrEqual(before)
})

test('costs are averaged and printed most expensive first', () => {
  const one = { msPerCall: { api: 0.1, Postgres: 0.4 }, busyShare: 0.9, othersShare: 0 }
  const two = { msPerCall: { api: 0.3, Postgres: 0.4 }, busyShare: 1, othersShare: 0.1 }
  expect(formatCost(averageCosts([one, two]))).toBe(
    'Postgres 0.40, api 0.20 ms of CPU per call; cores 95 % busy, 5 % by other processes',
  )
})

test('other programs can read the samples', async () => {
  await using folder = await freshFolder()
  writeFileSync(join(folder.path, 'a.jpg'), await createPhotograph())
  writeFileSync(join(folder.path, 'a.pdf'), createTextPdf(100, 'one'))
  const { default: sharp } = await import('sharp')
  expect(await sharp(join(folder.path, 'a.jpg')).metadata()).toMatchObject({
    width: 2048,
    height: 1536,
    format: 'jpeg',
  })
  const { stdout } = await execa('qpdf', ['--show-npages', join(folder.path, 'a.pdf')])
  expect(stdout).toBe('100')
  await execa('qpdf', ['--check', join(folder.path, 'a.pdf')])
})
