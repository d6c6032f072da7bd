import { join } from 'node:path'
import { type EmbedderProcess, openEmbedderProcess } from '../../pools/embedder.ts'
import { readTextModel } from '../../pools/tools/embedding/model.ts'
import { loadConfig } from '../config.ts'
import { openLog } from '../log.ts'
import { findEmbedderModel } from './find.ts'
import { openEmbeddingServer } from './server.ts'

// Decision 0300: embed texts by a model of the operator in a role of its own.

const LOAD_SECONDS = 40
/** The api gives up after as long. */
const CALL_SECONDS = 15

const config = loadConfig()
const log = openLog({ logLevel: config.logLevel, name: 'embedder' })
const { embedder } = config
const found = embedder && findEmbedderModel(embedder)
if (!found) {
  log.fatal('an embedder needs a MODELS_DIR with a model of texts; ops/text-models.md describes it')
  process.exit(1)
}
const { name, folder } = found

let opened: EmbedderProcess | undefined
/** Why the model does not work. The role stays, so that callers are told, and the rest runs. */
let fault: Error | undefined
try {
  const { sandbox, isProduction: production, dataDir } = config
  const model = readTextModel(folder)
  opened = await openEmbedderProcess({ workRoot: join(dataDir, 'work'), sandbox, production, log, model })
} catch (error) {
  noteFault(error as Error)
}
const { host, port, apiKey } = embedder
const server = await openEmbeddingServer({
  ...{ host, port, apiKey, model: name },
  embed: async (texts, signal) => {
    if (!opened || fault) throw new Error(`The model ${name} does not work: ${fault?.message}`)
    return opened.embed(texts, { limitSeconds: CALL_SECONDS, signal })
  },
})
for (const signal of ['SIGTERM', 'SIGINT', 'disconnect'] as const) process.on(signal, () => void stop())
await checkModel()
process.send?.({ ready: true })

async function checkModel(): Promise<void> {
  try {
    const checked = await opened?.check(LOAD_SECONDS)
    if (checked) log.info({ model: name, ...checked, port: server.port }, 'texts are embedded by a model')
  } catch (error) {
    noteFault(error as Error)
  }
}

function noteFault(error: Error): void {
  fault = error
  log.error({ model: name, reason: error.message }, 'the model of texts does not work; texts are refused until it does')
}

let isStopping = false
async function stop(): Promise<void> {
  if (isStopping) return
  isStopping = true
  await server.close()
  await opened?.close()
  process.exit(0)
}
