import { ID_PREFIX } from '#kit'

/** A file, with its hash if it is known. */
interface InputFile {
  field: string
  size: number
  sha256: string | null
}

export interface OutputFile {
  content_type: string
  size: number
  sha256: string | null
}

/** What the service signs of a call that has ended. */
export interface ReceiptStatement {
  typ: string
  /** The address of the installation. */
  issuer: string
  issued_at: string
  job_id: string
  operation: string
  /** Null if the installation no longer has the call. */
  method: string | null
  path: string | null
  status: string
  /** The code of the problem with which it failed. */
  problem: string | null
  request_sha256: string | null
  inputs: readonly InputFile[]
  /** Of the canonical JSON of a result without files. */
  result_sha256: string | null
  outputs: readonly OutputFile[]
  price: {
    currency: 'USD'
    unit: string | null
    rate_micros: string | null
    held_micros: string
    charged_micros: string
  }
  payer: { account_id: string; wallet?: string; network?: string; asset?: string; transaction?: string }
  created_at: string
  started_at: string | null
  finished_at: string | null
}

/** What the database knows of a call. */
export interface JobFacts {
  id: string
  serviceKey: string
  status: string
  problem: string | null
  requestHash: string | null
  rate: string | null
  inputs: readonly InputFile[]
  heldMicros: string
  chargedMicros: string
  createdAt: string
  startedAt: string | null
  finishedAt: string | null
  payer: {
    accountId: string
    wallet: string | null
    chainId: number | null
    asset: string | null
    transaction: string | null
  }
}

interface Surroundings {
  issuer: string
  at: Date
  call: { method: string; path: string } | undefined
  resultSha256: string | null
  outputs: readonly OutputFile[]
}

export function buildReceipt(
  facts: JobFacts,
  { issuer, at, call, resultSha256, outputs }: Surroundings,
): ReceiptStatement {
  return {
    typ: `${ID_PREFIX}.receipt/1`,
    issuer,
    issued_at: formatSeconds(at),
    job_id: facts.id,
    operation: facts.serviceKey,
    method: call?.method ?? null,
    path: call?.path ?? null,
    status: facts.status,
    problem: facts.problem,
    request_sha256: facts.requestHash,
    inputs: facts.inputs.map(({ field, size, sha256 }) => ({ field, size, sha256 })),
    result_sha256: resultSha256,
    outputs,
    price: describePrice(facts),
    payer: describePayer(facts),
    created_at: formatTime(facts.createdAt),
    started_at: facts.startedAt && formatTime(facts.startedAt),
    finished_at: facts.finishedAt && formatTime(facts.finishedAt),
  }
}

function describePrice({ rate, heldMicros, chargedMicros }: JobFacts): ReceiptStatement['price'] {
  const [micros = null, ...unit] = rate?.split(' ') ?? []
  return {
    currency: 'USD',
    unit: micros && unit.join(' '),
    rate_micros: micros,
    held_micros: heldMicros,
    charged_micros: chargedMicros,
  }
}

function describePayer({
  payer: { accountId, wallet, chainId, asset, transaction },
}: JobFacts): ReceiptStatement['payer'] {
  return {
    account_id: accountId,
    ...(wallet && { wallet }),
    ...(transaction && { network: `eip155:${chainId}`, asset: asset!, transaction }),
  }
}

function formatTime(time: string): string {
  return new Date(time).toISOString()
}

/** Whole seconds, never later than it was: a key may be retired within the same second. */
function formatSeconds(time: Date): string {
  return `${time.toISOString().slice(0, -5)}Z`
}
