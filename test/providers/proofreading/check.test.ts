import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { loadConfig } from '../../../ops/config.ts'
import type { CountedCall } from '../../../ops/providers/counted-call.ts'
import type { ProofreadingRequest } from '../../../ops/providers/proofreading/contract.ts'
import { openProofreader } from '../../../ops/providers/proofreading/open.ts'
import { type FakeLanguageTool, openFakeLanguageTool } from '../../support/servers/language-tool.ts'

let fake: FakeLanguageTool
const calls: CountedCall[] = []
beforeAll(async () => {
  fake = await openFakeLanguageTool()
})
afterAll(() => fake[Symbol.asyncDispose]())
beforeEach(() => {
  fake.asked.length = 0
  fake.reply = undefined
  calls.length = 0
})

async function check(
  text: string,
  more: Partial<ProofreadingRequest> = {},
  account?: { username: string; apiKey: string },
) {
  const config = { url: fake.url, account, usdPerMillion: 10, markupPct: 20 }
  const limits = { signal: new AbortController().signal, deadlineMs: performance.now() + 20_000 }
  const proofreader = openProofreader(config, { onCall: call => calls.push(call) })!
  return proofreader.check({ text, masked: [], level: 'grammar', ...more }, limits)
}

test.each([
  { level: 'spelling', rules: ['SPELLER'] },
  { level: 'grammar', rules: ['SPELLER', 'EN_A_VS_AN'] },
  { level: 'style', rules: ['SPELLER', 'EN_A_VS_AN', 'IN_ORDER_TO'] },
] as const)('level $level finds what belongs to it', async ({ level, rules }) => {
  const text = 'I recieve a apple in order to eat.'
  const found = await check(text, { level, language: 'en' })
  expect(found.map(({ rule }) => rule)).toEqual(rules)
  expect(found[0]).toEqual({ start: 2, end: 9, replacement: 'receive', rule: 'SPELLER', message: 'Not recieve.' })
  expect(calls).toEqual([
    {
      ...{ provider: 'languagetool', model: 'check', isOk: true, costMicros: text.length * 10 },
      ...{ inputTokens: 0, outputTokens: 0 },
    },
  ])
})

test('a language is named with the country whose spelling is checked, and is found where nobody names it', async () => {
  for (const language of ['en', 'de', 'en-GB', 'fr', undefined]) await check('Hello', { language })
  expect(fake.asked.map(({ form }) => form.language)).toEqual(['en-US', 'de-DE', 'en-GB', 'fr', 'auto'])
  expect(fake.asked.map(({ form }) => form.preferredVariants !== undefined)).toEqual([false, false, false, false, true])
  await expect(check('Hello', { language: 'xx' })).rejects.toMatchObject({
    code: 'LANGUAGE_UNSUPPORTED',
    hints: { language: 'xx' },
  })
})

test('what is no prose is sent as markup, and nothing in it is found', async () => {
  const text = 'Call `recieve()` to recieve it.'
  const found = await check(text, { masked: [[5, 16]] })
  expect(found).toMatchObject([{ start: 20, end: 27, replacement: 'receive' }])
  expect(fake.asked[0]).toMatchObject({ read: 'Call X1 to recieve it.', text })
})

test('a long text is checked in parts, with every fault at its place in the whole', async () => {
  const paragraph = `${'Some words of a long text. '.repeat(60)}I recieve 😀 it.`
  const text = `${Array.from({ length: 40 }, () => paragraph).join('\n\n')}\n\n${'recieve '.repeat(5_000)}`
  const start = text.indexOf('Some', 30_000)
  const found = await check(text, { masked: [[start, start + 4]] })
  expect(fake.asked.length).toBeGreaterThan(4)
  expect(fake.asked.every(asked => asked.text.length <= 20_000)).toBe(true)
  expect(fake.asked.map(asked => asked.text).join('')).toBe(text)
  expect(found.map(fault => fault.start)).toEqual([...text.matchAll(/recieve/g)].map(({ index }) => index))
})

test('an account is named, and a fault without a known cure has none', async () => {
  expect(await check('zzyx', {}, { username: 'ana', apiKey: 'key' })).toMatchObject([{ replacement: null }])
  expect(fake.asked[0]!.form).toMatchObject({ username: 'ana', apiKey: 'key' })
})

test.each([
  { what: 'an answer of another form', reply: { matches: 'none' } },
  { what: 'a place outside of the text', reply: placed(3) },
  { what: 'a refusal', reply: { status: 413, error: 'too long' } },
  { what: 'wrong credentials', reply: { status: 403, error: 'no' } },
])('$what is PROVIDER_UNAVAILABLE, and counted as failed', async ({ reply }) => {
  fake.reply = () => reply
  await expect(check('Hello')).rejects.toMatchObject({ code: 'PROVIDER_UNAVAILABLE' })
  expect(calls).toMatchObject([{ isOk: false, costMicros: 0 }])
})

function placed(offset: number): object {
  return {
    matches: [{ offset, length: 9, message: '', replacements: [], rule: { id: 'A', issueType: 'misspelling' } }],
  }
}

test.each([
  [{ LANGUAGETOOL_API_KEY: 'k' }, 'LANGUAGETOOL_URL must be set'],
  [{ LANGUAGETOOL_URL: 'http://127.0.0.1:1', LANGUAGETOOL_API_KEY: 'k' }, 'LANGUAGETOOL_USERNAME must be set'],
])('the settings %j are refused in words', async (env, message) => {
  await expect(async () => loadConfig(env as Record<string, string>)).rejects.toThrow(message)
})
