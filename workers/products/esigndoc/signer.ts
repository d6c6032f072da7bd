import { createHash, createPrivateKey, type KeyObject, sign, X509Certificate } from 'node:crypto'
import type { Config } from '../../../ops/config.ts'
import { readCommonName } from '../../../ops/products/esigndoc/certificate.ts'
import { openSealKey } from '../../../ops/products/esigndoc/keys.ts'
import { openTimestampAuthority } from '../../../ops/providers/timestamp/rfc3161.ts'
import type { Pools } from '../../../pools/index.ts'
import type { ToolJob } from '../../../pools/job.ts'
import type { SealedDocument } from '../../../tasks/products/esigndoc/document.ts'
import type { SealKey } from '../../../tasks/products/esigndoc/documents/seal.ts'
import type { WorkerContext } from '../../context.ts'

export interface SignerContext {
  config: Pick<Config, 'publicUrl' | 'sealKey' | 'secret' | 'timestampUrl'>
  db: WorkerContext['db']
}

interface OpenedKey {
  key: KeyObject
  /** Its own first. */
  certificates: X509Certificate[]
}

/** An authority that answers later does not keep people from getting their document. */
const TIMESTAMP_MS = 5_000

/** One for each configuration, because the file of the operator is the same as long as this process runs. */
const opened = new WeakMap<SignerContext['config'], Promise<OpenedKey>>()

/** The key that seals: the operator's own, or that of the service. */
export async function openSigner(
  { config, db }: SignerContext,
  { pools, job }: { pools: Pools; job: ToolJob },
): Promise<{ signer: SealedDocument['signer']; key: SealKey }> {
  const { key, certificates } = config.sealKey
    ? await openOnce(config, pools, job)
    : await openSealKey(db, config, new Date()).then(({ leaf, root }) => ({
        key: leaf.key,
        certificates: [leaf.certificate, root],
      }))
  const [own] = certificates
  const authority = openTimestampAuthority(config.timestampUrl)
  return {
    signer: {
      commonName: readCommonName(own!),
      issuer: /^CN=(.*)$/m.exec(own!.issuer)?.[1] ?? own!.issuer.replaceAll('\n', ', '),
      fingerprint: own!.fingerprint256.replaceAll(':', '').toLowerCase(),
      validTo: own!.validToDate.toISOString(),
    },
    key: {
      certificates: certificates.map(({ raw }) => new Uint8Array(raw)),
      sign: async bytes => new Uint8Array(sign('sha256', bytes, { key, dsaEncoding: 'der' })),
      ...(authority && {
        stamp: (signature: Uint8Array) =>
          authority.stamp(hash(signature), AbortSignal.any([job.signal, AbortSignal.timeout(TIMESTAMP_MS)])),
      }),
    },
  }
}

function openOnce(config: SignerContext['config'], pools: Pools, job: ToolJob): Promise<OpenedKey> {
  const opening = opened.get(config) ?? openOperatorKey(config.sealKey!, pools, job)
  opened.set(config, opening)
  opening.catch(() => opened.delete(config))
  return opening
}

async function openOperatorKey(
  { path, password }: { path: string; password: string },
  pools: Pools,
  job: ToolJob,
): Promise<OpenedKey> {
  const { key, certificates } = await pools.useTools(job, ['libpdf'], ({ libpdf }) => libpdf.readPkcs12(path, password))
  return { key: createPrivateKey(key), certificates: certificates.map(bytes => new X509Certificate(bytes)) }
}

function hash(bytes: Uint8Array): Uint8Array {
  return createHash('sha256').update(bytes).digest()
}
