import { execa } from 'execa'
import { expect, test } from 'vitest'
import { freshFolder } from '../support/machine/folder.ts'

/** Starts the command as an operator does. */
async function runChaos(...options: string[]) {
  await using folder = await freshFolder()
  const args = ['ops/chaos/main.ts', '--minutes', '0.1', ...options]
  return execa('node', args, { env: { DATA_DIR: folder.path }, reject: false })
}

test('a short run disturbs a whole service, and its promises hold', async () => {
  const { exitCode, stdout, stderr } = await runChaos('--seed', '7')
  expect(exitCode, `${stdout}\n${stderr}`).toBe(0)
  expect(stdout).toMatch(/^seed 7\n/)
  expect(stdout).toMatch(/\d+ disturbances: /)
  expect(stdout).toMatch(/all promises held, after \d+ s\nseed 7$/)
}, 600_000)

test('an entry that is deleted behind its back is reported, with its history', async () => {
  const { exitCode, stdout } = await runChaos('--seed', '8', '--plant', 'lost-append')
  expect(exitCode, stdout).toBe(1)
  expect(stdout).toContain('The chain of a ledger verifies.')
  expect(stdout).toMatch(/POST \/v1\/baton\/[0-9a-f-]+ under line-\d+ was answered 201/)
}, 600_000)

test('options that it does not know are refused', async () => {
  const { exitCode, stderr } = await runChaos('--plant', 'nonsense')
  expect(exitCode).toBe(2)
  expect(stderr).toContain('There is no fault nonsense.\nUsage: npm run chaos')
})
