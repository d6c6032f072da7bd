import fc from 'fast-check'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { openLanguageModels } from '../../../ops/providers/llm/open.ts'
import { askInParts } from '../../../tasks/products/language/ask-in-parts.ts'
import type { AskedCall } from '../../../tasks/products/language/ask-model.ts'
import { mapInOrder } from '../../../tasks/products/language/in-order.ts'
import { summarize } from '../../../tasks/products/language/operations/llm/summarize.ts'
import { computeWholeCeiling, cutIntoParts } from '../../../tasks/products/language/parts.ts'
import { computeCallCeiling } from '../../../tasks/products/language/price.ts'
import { runTask } from '../../../tasks/products/language/run-task.ts'
import {
  type AskedModel,
  type FakeLanguageModels,
  openFakeLanguageModels,
} from '../../support/servers/language-models.ts'
import type { ModelReply } from '../../support/servers/model-replies.ts'

const CONTEXT = 2_500
const FACTS = Array.from({ length: 1_600 }, (_, at) => `Fact ${at}: the "harbour" of town ${at} has ${at * 7} ships.`)
const LONG_TEXT = FACTS.join('\n')

let fake: FakeLanguageModels
beforeAll(async () => {
  fake = await openFakeLanguageModels()
})
afterAll(() => fake[Symbol.asyncDispose]())
beforeEach(() => {
  fake.asked.length = 0
})

interface Options {
  context?: number
  length?: 'short' | 'long'
  emit?: (piece: unknown) => void
}

async function sum(text: string, { context = CONTEXT, length = 'short', emit }: Options = {}) {
  const price = { model: 'short', input: 1, output: 5, cachedInput: 1, contextTokens: context }
  const tiers = { budget: price, value: price, best: price }
  const models = openLanguageModels(fake.config('openai', { tiers }))!
  const offer = { model: 'short', input: 1, output: 5, markupPct: 20, contextTokens: context }
  const call: AskedCall = { text, params: { length, style: 'paragraph' }, language: undefined, tier: 'budget', offer }
  const limits = { signal: AbortSignal.timeout(60_000), deadlineMs: performance.now() + 60_000 }
  const languageModel = { complete: (request: never) => models.complete(request, limits) }
  const held = [{ text }, { text: '', bytes: Buffer.byteLength(text) }].map(one =>
    computeWholeCeiling(summarize.model as never, { ...call, ...one }, offer),
  )
  const answer = await askInParts(
    summarize as never,
    { ...call, parallel: 4 },
    {
      languageModel: languageModel as never,
      emit: emit as never,
    },
  )
  return { ...answer, held, summary: (answer.result as { summary: string }).summary }
}

function isNoted({ system }: AskedModel): boolean {
  return system.startsWith('You read one part')
}

function readText({ user }: AskedModel): string {
  return JSON.parse(user).text as string
}

/** Notes the first fact of a part, at length, and sums up by the facts that it was given. */
function takeNotes(sentences: number, usage = { input: 1_000, output: 100 }): (asked: AskedModel) => ModelReply {
  return asked => {
    const facts = readText(asked).match(/Fact \d+/g) as string[]
    const talk = 'The ships are many, and old. '.repeat(sentences)
    return { text: isNoted(asked) ? `${facts[0]}. ${talk}` : facts.join(', '), ...usage }
  }
}

test.each([
  ['at once', 1, false],
  ['in parts again', 50, true],
])(
  'every part of a long text is read once within what the model reads, and its notes %s',
  async (_, sentences, isAgain) => {
    fake.reply = takeNotes(sentences)
    const { summary, warnings, usage, held } = await sum(LONG_TEXT)
    for (const { system, user, body } of fake.asked)
      expect(
        Buffer.byteLength(system + user) / 3 + Number(body.max_completion_tokens ?? body.max_tokens),
      ).toBeLessThanOrEqual(CONTEXT)
    const texts = fake.asked.filter(isNoted).map(readText)
    const parts = texts
      .filter(text => text.includes('harbour'))
      .sort((one, other) => LONG_TEXT.indexOf(one) - LONG_TEXT.indexOf(other))
    expect(parts.join('')).toBe(LONG_TEXT)
    expect(parts.filter(part => !/^\s*Fact \d+:.*ships\.\s*$/s.test(part))).toEqual([])
    expect(texts.length > parts.length).toBe(isAgain)
    expect(fake.asked.filter(asked => !isNoted(asked))).toHaveLength(1)
    expect(summary).toMatch(/^Fact 0, Fact \d+/)
    expect(warnings).toMatchObject([
      { code: 'READ_IN_PARTS', message: expect.stringContaining(`${parts.length} parts`) },
    ])
    expect(usage).toMatchObject({ inputTokens: 1_000 * fake.asked.length, chargedMicros: 1_800 * fake.asked.length })
    for (const ceiling of held) expect(ceiling).toBeGreaterThanOrEqual(usage.ceilingMicros)
  },
)

test('a text that the model reads at once is asked for as it is', async () => {
  fake.reply = takeNotes(1)
  const { warnings } = await sum('Fact 1: all is well.')
  expect(warnings).toEqual([])
  expect(fake.asked.map(readText)).toEqual(['Fact 1: all is well.'])
})

test('what is held is enough for any text, whatever the provider says that it took', async () => {
  const unit = fc.constantFrom('Fact 1: a town. ', '"\n\t', 'é', '漢字', '👩‍👩‍👧', 'word ', 'x'.repeat(500))
  const texts = fc.array(fc.tuple(unit, fc.integer({ min: 1, max: 900 })), { minLength: 1, maxLength: 8 })
  await fc.assert(
    fc.asyncProperty(
      texts,
      fc.constantFrom(1_800, 2_500, 8_000),
      fc.integer({ min: 0, max: 60 }),
      async (runs, context, sentences) => {
        const text = runs
          .map(([part, times]) => part.repeat(times))
          .join('')
          .slice(0, 60_000)
        fake.reply = asked => {
          const reply = { text: `${'"\n'.repeat(sentences * 40)}Ships.`, input: 9e9, output: 9e9 }
          return isNoted(asked) ? reply : { ...reply, text: 'Ships.' }
        }
        const { usage, held } = await sum(text, { context })
        expect(held[0]).toBeGreaterThanOrEqual(usage.chargedMicros)
      },
    ),
    { numRuns: 40 },
  )
})

test('no part is larger than it may be, and none is lost', () => {
  const text = fc.array(
    fc.oneof(fc.string({ unit: 'grapheme', maxLength: 40 }), fc.constantFrom('. ', '\n\n', 'word ', '!? ')),
    { maxLength: 200 },
  )
  fc.assert(
    fc.property(text, fc.integer({ min: 40, max: 400 }), (pieces, partBytes) => {
      const whole = pieces.join('')
      const parts = cutIntoParts(whole, partBytes)
      expect(parts.join('')).toBe(whole)
      expect(Math.max(0, ...parts.map(part => Buffer.byteLength(part)))).toBeLessThanOrEqual(partBytes)
      expect(parts.length).toBeLessThanOrEqual(Math.ceil((Buffer.byteLength(whole) / partBytes) * 2.5) + 1)
    }),
  )
})

test('of a text in parts, only the summary is given piece by piece', async () => {
  const pieces: unknown[] = []
  fake.reply = asked => (isNoted(asked) ? takeNotes(1)(asked) : { pieces: ['The towns ', 'have ships.'] })
  const { summary } = await sum(LONG_TEXT, { emit: piece => pieces.push(piece) })
  expect(pieces).toEqual([{ text: 'The towns ' }, { text: 'have ships.' }])
  expect(summary).toBe('The towns have ships.')
})

test('after an error nothing more is begun', async () => {
  const started: number[] = []
  const other = Promise.withResolvers<void>()
  const all = mapInOrder([0, 1, 2, 3], 2, async item => {
    started.push(item)
    if (item === 0) throw new Error('the first fails')
    await other.promise
  })
  await expect(all).rejects.toThrow('the first fails')
  other.resolve()
  // What waits for the other to end is over before a timer.
  await new Promise(resolve => setImmediate(resolve))
  expect(started).toEqual([0, 1])
})

test('a part that the model refuses ends it, and a model that reads too little is not asked', async () => {
  fake.reply = asked => (readText(asked).includes('Fact 500:') ? { text: 'no', end: 'refused' } : takeNotes(1)(asked))
  await expect(sum(LONG_TEXT)).rejects.toMatchObject({ code: 'CONTENT_REFUSED' })
  fake.reply = asked => (isNoted(asked) ? { text: ' ' } : { text: 'Invented.' })
  await expect(sum(LONG_TEXT)).rejects.toMatchObject({ code: 'OUTPUT_INVALID' })
  fake.asked.length = 0
  await expect(sum(LONG_TEXT, { context: 1_500, length: 'long' })).rejects.toMatchObject({
    ...{ code: 'CONTEXT_TOO_LONG', hints: { max: 1_500, tokens: expect.any(Number) } },
  })
  expect(fake.asked).toEqual([])
})

test.each([1, 2, 5])(
  'however many texts are long, a call has at most four questions at the provider (%i texts)',
  async count => {
    const offer = { model: 'short', input: 1, output: 5, markupPct: 20, contextTokens: CONTEXT }
    const price = { ...offer, cachedInput: 1 }
    const models = openLanguageModels(fake.config('openai', { tiers: { budget: price, value: price, best: price } }))!
    const limits = { signal: AbortSignal.timeout(60_000), deadlineMs: performance.now() + 60_000 }
    let [open, most] = [0, 0]
    const complete = async (request: never) => {
      most = Math.max(most, ++open)
      return models.complete(request, limits).finally(() => open--)
    }
    const text = FACTS.slice(0, 400).join('\n')
    const input = count === 1 ? text : Array.from({ length: count }, () => text)
    const call = { input, tier: 'budget' as const, params: { length: 'short', style: 'paragraph' }, offer }
    const tools = { languageModel: { complete }, progress: () => undefined }
    fake.reply = takeNotes(1)
    await runTask(summarize as never, call, tools as never)
    expect(fake.asked.length).toBeGreaterThan(4 * count)
    expect(most).toBe(4)
  },
)

test('of a file whose text takes more than was held, what was held is charged and told', async () => {
  const content = Buffer.from('"'.repeat(60_000))
  const offer = { model: 'short', input: 1, output: 0, markupPct: 0 }
  const input = { type: 'text/plain', sizeBytes: content.length, bytes: async () => content }
  const call = { input, tier: 'budget' as const, params: { length: 'short', style: 'paragraph' }, offer }
  const held = computeCallCeiling(summarize.model as never, call as never)
  const usage = { chargedMicros: 10 * held, providerCostMicros: 10 * held, ceilingMicros: 10 * held }
  const complete = async () => ({
    text: 'Quotes.',
    usage: { model: 'short', inputTokens: 1, outputTokens: 1, ...usage },
  })
  const done = await runTask(summarize as never, call as never, { languageModel: { complete } } as never)
  const { chargedMicros } = (done.result as { usage: { chargedMicros: number } }).usage
  expect([chargedMicros, done.baseMicros]).toEqual([held, BigInt(held)])
})
