import type { TextractClient } from '@aws-sdk/client-textract'
import { Problem } from '#kit'
import { joinSides } from '../../../tasks/formats/document/hosted.ts'
import { normalizeInvoice } from '../../../tasks/formats/invoice/hosted.ts'
import type { CallLimits } from '../call-limits.ts'
import { openSdkCalls } from '../http/sdk-calls.ts'
import type { DocumentAdapter, SentPage } from './contract.ts'
import type { TextractConfig } from './settings.ts'
import { BlockGraph } from './textract-blocks.ts'
import { readExpense } from './textract-expense.ts'
import { readIdentity } from './textract-id.ts'

type Sdk = typeof import('@aws-sdk/client-textract')

const TIMEOUT_MS = 30_000
/** A call that fails for a moment is sent once more. */
const MAX_ATTEMPTS = 2

export function openTextract(config: TextractConfig): DocumentAdapter {
  const ask = createCall(config)
  const toDocument = ({ bytes }: SentPage) => ({ Bytes: bytes })
  const analyze = async (
    page: SentPage,
    features: readonly ('TABLES' | 'FORMS' | 'SIGNATURES')[],
    limits: CallLimits,
  ) => {
    const input = { Document: toDocument(page), FeatureTypes: [...features] }
    const { Blocks } = await ask(limits, (sdk, client, options) =>
      client.send(new sdk.AnalyzeDocumentCommand(input), options),
    )
    return new BlockGraph(Blocks)
  }
  return {
    takesLanguages: [],
    async readText(page, limits) {
      const { Blocks } = await ask(limits, (sdk, client, options) =>
        client.send(new sdk.DetectDocumentTextCommand({ Document: toDocument(page) }), options),
      )
      return { lines: new BlockGraph(Blocks).readLines() }
    },
    async readTables(page, limits) {
      const graph = await analyze(page, ['TABLES'], limits)
      return { lines: graph.readLines(), tables: graph.readTables() }
    },
    async readFields(page, limits) {
      const graph = await analyze(page, ['FORMS', 'SIGNATURES'], limits)
      return { lines: graph.readLines(), fields: graph.readFields() }
    },
    async readInvoice(page, hints, limits) {
      const { ExpenseDocuments: [document] = [] } = await ask(limits, (sdk, client, options) =>
        client.send(new sdk.AnalyzeExpenseCommand({ Document: toDocument(page) }), options),
      )
      const lines = new BlockGraph(document?.Blocks).readLines()
      return { lines, invoice: document && normalizeInvoice(readExpense(document), hints) }
    },
    async readIdentity(pages, limits) {
      const { IdentityDocuments: documents = [] } = await ask(limits, (sdk, client, options) =>
        client.send(new sdk.AnalyzeIDCommand({ DocumentPages: pages.map(toDocument) }), options),
      )
      return joinSides(documents.map(readIdentity))
    },
  }
}

type Ask = <Answer>(
  limits: CallLimits,
  send: (sdk: Sdk, client: TextractClient, options: { abortSignal: AbortSignal }) => Promise<Answer>,
) => Promise<Answer>

function createCall(config: TextractConfig): Ask {
  const call = openSdkCalls({ provider: 'textract', load: () => load(config), explain: explainFailure, unavailable })
  return ({ signal, deadlineMs }, send) => {
    const timeoutMs = Math.min(TIMEOUT_MS, deadlineMs - performance.now())
    return call({ signal, timeoutMs }, ({ sdk, client }, options) => send(sdk, client, options))
  }
}

async function load({ region, endpoint, credentials }: TextractConfig) {
  const sdk = await import('@aws-sdk/client-textract')
  return { sdk, client: new sdk.TextractClient({ region, endpoint, credentials, maxAttempts: MAX_ATTEMPTS }) }
}

interface SdkError extends Error {
  $metadata?: { httpStatusCode?: number }
  code?: unknown
}

const UNREADABLE = ['BadDocumentException', 'UnsupportedDocumentException', 'DocumentTooLargeException']

/** Network errors name addresses inside, so callers get their code alone. */
function explainFailure(error: unknown): Problem {
  const { name, $metadata, code } = error as SdkError
  if (UNREADABLE.includes(name) || name === 'InvalidParameterException')
    return new Problem('IMAGE_DECODE_FAILED', { provider: 'textract' })
  if (name === 'TimeoutError' || name === 'AbortError') return unavailable({ reason: 'no complete answer in time' })
  const providerStatus = $metadata?.httpStatusCode
  const reason = providerStatus === undefined && typeof code === 'string' ? code : name
  return unavailable({ reason, ...(providerStatus !== undefined && { providerStatus }) })
}

function unavailable(hints: Record<string, unknown>): Problem {
  return new Problem('PROVIDER_UNAVAILABLE', { provider: 'textract', ...hints })
}
