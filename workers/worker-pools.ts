import { join } from 'node:path'
import type { CountedCall } from '../ops/providers/counted-call.ts'
import { openDocumentProviders } from '../ops/providers/document/open.ts'
import { openEmbeddings } from '../ops/providers/embedding/open.ts'
import { openLanguageModels } from '../ops/providers/llm/open.ts'
import { openProofreader } from '../ops/providers/proofreading/open.ts'
import { openTimestampAuthority } from '../ops/providers/timestamp/rfc3161.ts'
import { openTranscriber } from '../ops/providers/transcription/open.ts'
import { openTranslator } from '../ops/providers/translation/open.ts'
import { openVision } from '../ops/providers/vision/open.ts'
import { createOutboundFetch, openPools, type Pools } from '../pools/index.ts'
import { countProviderCall } from '../sql/provider/usage.ts'
import type { WorkerContext } from './context.ts'
import { laneSize } from './lanes.ts'

type Parts = Pick<WorkerContext, 'config' | 'db' | 'settings' | 'log' | 'added'>

/** Opens what jobs run with, with the providers that the operator has configured. */
export function openWorkerPools({ config, db, settings, log, added }: Parts): Promise<Pools> {
  const countCall = (call: CountedCall) => {
    countProviderCall(db, call).catch(error => log.warn({ err: error, call }, 'a call of a provider is not counted'))
  }
  const initialSizes = Object.fromEntries(
    config.lanes.map(lane => [lane, laneSize({ settings, isDraining: false }, lane)]),
  )
  return openPools({
    workRoot: join(config.dataDir, 'work'),
    lanes: { thread: 0, native: 0, program: 0, remote: 0, ...initialSizes },
    sandbox: config.sandbox,
    production: config.isProduction,
    outbound: config.outbound === 'public' ? createOutboundFetch() : undefined,
    ffmpegPath: config.ffmpegPath,
    timestamps: openTimestampAuthority(config.timestampUrl),
    languageModels: openLanguageModels(config.llm, { onCall: call => countCall(call) }),
    embeddings: openEmbeddings(config.embedding, { onCall: call => countCall(call) }),
    // Workers of other lanes hold no keys of providers.
    transcriber: config.lanes.includes('remote')
      ? openTranscriber(config.transcription, { onCall: call => countCall(call) })
      : undefined,
    translator: config.lanes.includes('remote')
      ? openTranslator(config.translation, { onCall: call => countCall(call) })
      : undefined,
    proofreader: config.lanes.includes('remote')
      ? openProofreader(config.proofreading, { onCall: call => countCall(call) })
      : undefined,
    documents: config.lanes.includes('remote')
      ? openDocumentProviders(config.documents, { onCall: call => countCall(call) })
      : undefined,
    vision: config.lanes.includes('remote')
      ? openVision(config.vision, { onCall: call => countCall(call) })
      : undefined,
    plugins: added.code,
    findAdded: name => added.current(name),
    log,
  })
}
