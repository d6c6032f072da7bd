import { openLocalServer } from './local.ts'

interface AskedCheck {
  headers: Record<string, unknown>
  form: Record<string, string>
  /** What is read, with what stands for markup in it, and the whole text. */
  read: string
  text: string
}

interface Fault {
  pattern: RegExp
  replacements: string[]
  id: string
  issueType: string
  category: string
}

const FAULTS: readonly Fault[] = [
  {
    pattern: /recieve/g,
    replacements: ['receive', 'relieve'],
    id: 'SPELLER',
    issueType: 'misspelling',
    category: 'TYPOS',
  },
  { pattern: /Tset/g, replacements: ['Test'], id: 'SPELLER', issueType: 'misspelling', category: 'TYPOS' },
  { pattern: /zzyx/g, replacements: [], id: 'SPELLER', issueType: 'misspelling', category: 'TYPOS' },
  { pattern: /a apple/g, replacements: ['an apple'], id: 'EN_A_VS_AN', issueType: 'grammar', category: 'GRAMMAR' },
  { pattern: /in order to/g, replacements: ['to'], id: 'IN_ORDER_TO', issueType: 'style', category: 'REDUNDANCY' },
]

/** Answers as a server of LanguageTool does, by a few rules. */
export interface FakeLanguageTool extends AsyncDisposable {
  url: string
  asked: AskedCheck[]
  /** What it answers instead. */
  reply: ((asked: AskedCheck) => object | undefined) | undefined
}

export async function openFakeLanguageTool(): Promise<FakeLanguageTool> {
  const asked: AskedCheck[] = []
  const server = await openLocalServer(({ path, headers, body }) => {
    const form = Object.fromEntries(new URLSearchParams(body))
    const parts = JSON.parse(form.data!).annotation as { text?: string; markup?: string; interpretAs?: string }[]
    const one = {
      ...{ path, headers, form },
      read: parts.map(({ text, interpretAs }) => text ?? interpretAs).join(''),
      text: parts.map(({ text, markup }) => text ?? markup).join(''),
    }
    asked.push(one)
    return fake.reply?.(one) ?? answer(one)
  })
  const fake: FakeLanguageTool = {
    ...{ url: server.url, asked, reply: undefined },
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  }
  return fake
}

function answer({ text, form: { language, enabledOnly, enabledCategories, level } }: AskedCheck): object {
  if (language === 'xx') return { status: 400, error: "Error: 'xx' is not a language code known to LanguageTool." }
  const matches = FAULTS.filter(({ category }) => !enabledOnly || enabledCategories!.split(',').includes(category))
    .filter(({ issueType }) => issueType !== 'style' || level === 'picky')
    .flatMap(({ pattern, replacements, id, issueType, category }) =>
      [...text.matchAll(pattern)].map(({ 0: found, index }) => ({
        ...{ message: `Not ${found}.`, shortMessage: '', offset: index, length: found.length },
        replacements: replacements.map(value => ({ value })),
        context: { text: text.slice(index, index + 40), offset: 0, length: found.length },
        rule: { id, description: id, issueType, category: { id: category, name: category } },
      })),
    )
  return {
    software: { name: 'LanguageTool', version: '6.6', apiVersion: 1, premium: false },
    language: { name: 'English (US)', code: 'en-US' },
    matches,
  }
}
