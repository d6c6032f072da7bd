import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openPools } from '../../pools/index.ts'
import { rows } from '../../sql/db.ts'
import { countSteps } from '../../sql/step/queue.ts'
import { listWorkers, type ToolReport } from '../../sql/worker.ts'
import { loadOperations } from '../../tasks/index.ts'
import type { Config } from '../config.ts'
import { openLog } from '../log.ts'
import { openDocumentProviders } from '../providers/document/open.ts'
import { openEmbeddings } from '../providers/embedding/open.ts'
import { openLanguageModels } from '../providers/llm/open.ts'
import { openProofreader } from '../providers/proofreading/open.ts'
import { openStore } from '../providers/storage/open.ts'
import { openTranscriber } from '../providers/transcription/open.ts'
import { openTranslator } from '../providers/translation/open.ts'
import { openVision } from '../providers/vision/open.ts'
import { formatTable } from './print.ts'
import type { CliContext, Runs } from './verb.ts'

/** The api uses the same limit: a worker without a heartbeat for longer does not count. */
const SILENT_SECONDS = 20
const APT = 'apt-get install -y '

export const runs: Runs = {
  async ''(context) {
    const data = await diagnose(context)
    return { data, text: formatFindings(data) }
  },
}

type Findings = Awaited<ReturnType<typeof diagnose>>

async function diagnose(context: CliContext) {
  const workers = (await listWorkers(context.db)).filter(worker => worker.silent_seconds < SILENT_SECONDS)
  const tools =
    workers.length > 0 ? mergeReports(workers.flatMap(worker => worker.tools)) : await probeTools(context.config)
  const missing = tools.filter(tool => !tool.ok)
  const unavailable = (await loadOperations())
    .map(({ name, uses }) => ({ name, tools: missing.filter(tool => (uses as readonly string[]).includes(tool.name)) }))
    .filter(operation => operation.tools.length > 0)
    .map(operation => ({ name: operation.name, tools: operation.tools.map(tool => tool.name) }))
  return {
    database: await describeDatabase(context),
    objects: await describeStore(context.config),
    workers: workers.length,
    deadSteps: (await countSteps(context.db)).dead,
    tools,
    unavailable,
    install: listInstallCommands(missing),
  }
}

/** Without a running worker, the tools are tried in this process. */
async function probeTools(config: Config): Promise<ToolReport[]> {
  const folder = await mkdtemp(join(tmpdir(), 'coinop-doctor-'))
  const { sandbox, isProduction, ffmpegPath, llm, embedding, transcription, ...providers } = config
  const { translation, proofreading, documents, vision } = providers
  const log = openLog({ logLevel: 'silent', name: 'doctor' })
  const pools = await openPools({
    // Compiled code is kept beside it, where no other user may write.
    workRoot: join(folder, 'work'),
    lanes: { thread: 1, native: 1, program: 1, remote: 1 },
    sandbox,
    production: isProduction,
    ffmpegPath,
    languageModels: openLanguageModels(llm),
    embeddings: openEmbeddings(embedding),
    transcriber: openTranscriber(transcription),
    translator: openTranslator(translation),
    proofreader: openProofreader(proofreading),
    documents: openDocumentProviders(documents),
    vision: openVision(vision),
    log,
  })
  try {
    return await pools.tools()
  } finally {
    await pools.close()
    await rm(folder, { recursive: true, force: true })
  }
}

/** A tool is available when any worker has it. */
function mergeReports(reports: ToolReport[]): ToolReport[] {
  const best = new Map<string, ToolReport>()
  for (const tool of reports) if (!best.get(tool.name)?.ok) best.set(tool.name, tool)
  return [...best.values()]
}

async function describeDatabase({ db, config }: CliContext): Promise<string> {
  const [row] = await rows<{ server_version: string }>(db, 'show server_version')
  return `Postgres ${row!.server_version}, ${config.databaseUrl ? 'from DATABASE_URL' : 'embedded'}`
}

async function describeStore(config: Config): Promise<string> {
  const location = config.s3 ? `bucket ${config.s3.bucket}` : join(config.dataDir, 'objects')
  const failure = await openStore(config)
    .check()
    .then(
      () => undefined,
      (error: Error) => error.message,
    )
  return failure ? `${location} does not work: ${failure}` : location
}

/** Debian packages are combined into one command. */
function listInstallCommands(missing: ToolReport[]): string[] {
  const lines = [...new Set(missing.flatMap(tool => tool.install ?? []))]
  const packages = lines.filter(line => line.startsWith(APT)).flatMap(line => line.slice(APT.length).split(' '))
  const others = lines.filter(line => !line.startsWith(APT))
  return [...(packages.length > 0 ? [APT + [...new Set(packages)].join(' ')] : []), ...others]
}

function formatFindings({ database, objects, workers, deadSteps, tools, unavailable, install }: Findings): string {
  const lines = tools.map(tool => [tool.name, tool.ok ? 'works' : 'missing', tool.version, tool.lane])
  const parts = [
    formatTable(
      ['', ''],
      [
        ['database', database],
        ['objects', objects],
        ['workers', workers || 'none; the tools were tried in this process'],
        ['steps', deadSteps === 0 ? 'none has failed for good' : `${deadSteps} dead: see npm run -s cli -- steps`],
      ],
    ).trim(),
    formatTable(['tool', 'state', 'version', 'lane'], lines),
  ]
  if (unavailable.length > 0) parts.push(`Unavailable: ${unavailable.map(({ name }) => name).join(', ')}.`)
  parts.push(
    install.length > 0
      ? ['To install what is missing:', ...install.map(line => `  ${line}`)].join('\n')
      : 'Nothing is missing.',
  )
  return parts.join('\n\n')
}
