import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { ROOT } from '../../support/house/files.ts'

const read = (path: string) => readFileSync(join(ROOT, path), 'utf8')
const dockerfile = read('Dockerfile')
const compose = read('compose.yaml')

test('the image installs the system packages of ops/system-packages.json, except those for tests', () => {
  const entries = JSON.parse(read('ops/system-packages.json')) as { package: string; serves: string }[]
  const expected = entries
    .filter(({ serves }) => !['tests', 'machines'].includes(serves))
    .flatMap(entry => entry.package.split(' '))
  const [, list] = /apt-get install -y --no-install-recommends \\\n([\s\S]*?)\n\s*&&/.exec(dockerfile)!
  const installed = list!.split('\n').map(line => line.replace('\\', '').trim())
  expect(installed.toSorted()).toEqual(expected.toSorted())
})

test('the commands of the image and of the compose services exist', () => {
  const scripts = [...`${dockerfile}${compose}`.matchAll(/\b(?:ops|api|workers)\/[\w/-]+\.ts\b/g)].map(([path]) => path)
  expect(scripts).toEqual(expect.arrayContaining(['ops/start.ts', 'ops/cli.ts', 'api/main.ts', 'workers/main.ts']))
  expect(scripts.filter(path => !existsSync(join(ROOT, path)))).toEqual([])
})

test('the image runs the Node version of .nvmrc, not as root, and is checked by the health route', () => {
  expect(dockerfile).toContain(`FROM node:${read('.nvmrc').trim()}-`)
  expect(dockerfile).toMatch(/^USER node$/m)
  expect(dockerfile).toMatch(/^HEALTHCHECK[\s\S]*\/health`/m)
})

test('npm start brings the Node version of .nvmrc', () => {
  const { optionalDependencies } = JSON.parse(read('ops/runtime/package.json')) as {
    optionalDependencies: Record<string, string>
  }
  for (const version of Object.values(optionalDependencies)) expect(version).toMatch(`${read('.nvmrc').trim()}.`)
})
