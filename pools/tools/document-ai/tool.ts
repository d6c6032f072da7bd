import { readFile } from 'node:fs/promises'
import { Problem, type Warning } from '#kit'
import {
  type DocumentAdapter,
  type DocumentProvider,
  type InvoiceHints,
  METHODS,
  type SentPage,
} from '../../../ops/providers/document/contract.ts'
import type { HostedTask } from '../../../tasks/formats/document/hosted.ts'
import type { SendablePage } from '../../../tasks/formats/document/sendable-page.ts'
import type { Size } from '../../../tasks/formats/geometry/region.ts'
import type { HostContext } from '../../host-context.ts'
import type { ServedBy } from '../index.ts'

/** Makes what is sent, only if it is sent. */
type Prepare = () => Promise<SendablePage>

type Method = (typeof METHODS)[HostedTask]
type Answer<Name extends Method> = Awaited<ReturnType<NonNullable<DocumentAdapter[Name]>>>
/** What a provider read of a page of that size; undefined where our own engines serve the operation. */
type Served<Result> = (Result & { engine: DocumentProvider['name']; original: Size; warnings: Warning[] }) | undefined
type Read<Name extends Method> = Promise<Served<Answer<Name>>>

export const text = {
  bind: (context: HostContext) => ({
    read: (prepare: Prepare): Read<'readText'> =>
      ask(context, 'ocr-layout', [prepare], (provider, [page]) => provider.readText!(page!, context)),
  }),
}

export const tables = {
  bind: (context: HostContext) => ({
    read: (prepare: Prepare): Read<'readTables'> =>
      ask(context, 'extract-tables', [prepare], (provider, [page]) => provider.readTables!(page!, context)),
  }),
}

export const fields = {
  bind: (context: HostContext) => ({
    read: (prepare: Prepare): Read<'readFields'> =>
      ask(context, 'extract-form', [prepare], (provider, [page]) => provider.readFields!(page!, context)),
  }),
}

export const invoice = {
  bind: (context: HostContext) => ({
    read: (prepare: Prepare, hints: InvoiceHints): Read<'readInvoice'> =>
      ask(context, 'parse-invoice', [prepare], (provider, [page]) => provider.readInvoice!(page!, hints, context)),
  }),
}

export const identity = {
  bind: (context: HostContext) => ({
    read: (sides: readonly Prepare[]): Read<'readIdentity'> =>
      ask(context, 'parse-id', sides, (provider, pages) => provider.readIdentity!(pages, context)),
  }),
}

async function ask<Result extends object>(
  context: HostContext,
  task: HostedTask,
  sides: readonly Prepare[],
  read: (provider: DocumentProvider, pages: readonly SentPage[]) => Promise<Result>,
): Promise<Served<Result>> {
  const provider = chooseProvider(context, task)
  if (!provider) return undefined
  const pages: SentPage[] = []
  const originals: Size[] = []
  for (const prepare of sides) {
    const { bytes, path, input, original, languages } = await prepare()
    pages.push({ bytes: bytes ?? (await readFile(path!)), ...input, languages })
    originals.push(original)
  }
  const found = await count(context, provider, task, () => read(provider, pages))
  const isUseless = pages[0]!.languages?.length && !provider.takesLanguages.includes(task)
  return { ...found, engine: provider.name, original: originals[0]!, warnings: isUseless ? [LANGUAGES_IGNORED] : [] }
}

const LANGUAGES_IGNORED: Warning = {
  code: 'LANGUAGES_IGNORED',
  message: 'The provider finds the languages of the page itself; `languages` had no effect.',
}

/** The first in the operator's order that serves the operation, if it is a provider. */
function chooseProvider({ documents }: HostContext, task: HostedTask): DocumentProvider | undefined {
  for (const name of documents?.order ?? []) {
    if (name === 'local') return undefined
    const provider = documents?.providers.find(candidate => candidate.name === name)
    if (provider?.[METHODS[task]]) return provider
  }
  return undefined
}

/** Tells the operator's statistics of every call that has reached a provider. */
async function count<Result>(
  { documents, signal }: HostContext,
  { name: provider }: DocumentProvider,
  task: HostedTask,
  work: () => Promise<Result>,
): Promise<Result> {
  const report = (isOk: boolean) =>
    documents?.onCall?.({ provider, model: `doc.${task}`, isOk, inputTokens: 0, outputTokens: 0, costMicros: 0 })
  try {
    const answer = await work()
    report(true)
    return answer
  } catch (error) {
    if (!signal.aborted) report(error instanceof Problem && error.code !== 'PROVIDER_UNAVAILABLE')
    throw error
  }
}

export async function describeEngine(context: HostContext, task: HostedTask): Promise<ServedBy> {
  return { provider: chooseProvider(context, task)?.name ?? 'local' }
}
