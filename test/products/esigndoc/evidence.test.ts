import { execFile } from 'node:child_process'
import { copyFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { signEnvelope } from '../../../tasks/products/esigndoc/statement.ts'
import {
  buildStatement,
  canonicalize,
  newSigningKey,
  publicJwk,
  signStatement,
} from '../../../tasks/products/witness/index.ts'
import { freshFolder } from '../../support/machine/folder.ts'
import { sha256 } from '../../support/signing/engine.ts'

const ID = '019ab3c4-5d6e-7f80-9a1b-2c3d4e5f6071'
const SEALED = Buffer.from('%PDF-1.7 sealed')
const KEY = newSigningKey()

type Evidence = ReturnType<typeof buildEvidence>

/** What the service gives of an envelope; the log is hashed as the database does. */
function buildEvidence() {
  const signedSha256 = sha256(SEALED)
  const acts: [action: string, detail: object][] = [
    ['created', { title: 'Lease' }],
    ['sent', { from: 'draft' }],
    ['signed', { recipient: 'rcp_1' }],
    ['completed', { from: 'sealing', signedSha256, certificateSha256: null }],
  ]
  let previous: string | null = null
  const log = acts.map(([action, detail], index) => {
    const text: string = JSON.stringify([
      'envelope',
      ID,
      index + 1,
      'account',
      'owner',
      action,
      detail,
      `${index}`,
      previous,
    ])
    previous = sha256(Buffer.from(text))
    return { text, hash: previous }
  })
  const envelope = { id: `env_${ID.replaceAll('-', '')}`, status: 'completed', title: 'Lease' }
  const documents = [{ kind: 'signed' as const, name: 'lease.pdf', sha256: signedSha256 }]
  const signed = signEnvelope({ ...envelope, documents, log }, new Date('2026-11-25T12:00:00Z'), KEY)
  const keys = [{ ...publicJwk(KEY.x), kid: KEY.kid, alg: 'EdDSA', use: 'sig' }]
  const ledger = buildLedger(log.map(({ text }) => text))
  return { format: 'svc.envelope-evidence/1', envelope, documents, log, ledger, ...signed, keys }
}

/** The witnessed copy of a log, between whose entries its owner has written one. */
function buildLedger(texts: readonly string[]) {
  const batonId = '019ab3c4-5d6e-7f80-9a1b-2c3d4e5f6099'
  const createdAt = '2026-11-25T11:00:00.000Z'
  let prev = sha256(Buffer.from(canonicalize({ v: 1, baton_id: batonId, created_at: createdAt })))
  const written = [texts[0]!, 'a note of the owner', ...texts.slice(1)]
  const entries = written.map((text, index) => {
    const content = Buffer.from(index === 1 ? text : `${text}\n`)
    const header = {
      ...{ v: 1, baton_id: batonId, seq: index + 1, ts: createdAt, writer: index === 1 ? 'owner' : 'envelope' },
      ...{ content_type: 'text/plain', size: content.length, content_sha256: sha256(content), prev },
    }
    prev = sha256(Buffer.from(canonicalize(header)))
    return { ...header, hash: prev }
  })
  const size = entries.reduce((sum, entry) => sum + entry.size, 0)
  const content = { batonId, sha256: sha256(Buffer.from('')), size, entries: entries.length, chainHead: prev }
  const record = signStatement(buildStatement(content, new Date('2026-11-25T11:30:00Z')), KEY, 'https://a.example/jwks')
  return { ...record, headers: { created_at: createdAt, entries } }
}

test('one file that needs only Node finds every fault of the evidence', async () => {
  await using folder = await freshFolder()
  copyFileSync('ops/products/esigndoc/verify.mjs', join(folder.path, 'verify.mjs'))
  const check = (evidence: object, file: Uint8Array = SEALED, keys?: object) => {
    writeFileSync(join(folder.path, 'evidence.json'), JSON.stringify(evidence))
    writeFileSync(join(folder.path, 'sealed.pdf'), file)
    if (keys) writeFileSync(join(folder.path, 'keys.json'), JSON.stringify(keys))
    const args = ['verify.mjs', 'evidence.json', 'sealed.pdf', ...(keys ? ['keys.json'] : [])]
    return new Promise<string>(resolve => {
      execFile(process.execPath, args, { cwd: folder.path, env: {} }, (error, stdout, stderr) =>
        resolve(`${error ? error.code : 0} ${stdout}${stderr}`),
      )
    })
  }
  const whole = await check(buildEvidence())
  expect(whole).toMatch(
    /^0 OK: env_019ab3c45d6e7f809a1b2c3d4e5f6071 is completed, 4 entries, entries 1 to 4 witnessed at 2026-11-25T11:30:00Z, 1 files as sealed\n$/,
  )

  const spoil = (change: (evidence: Evidence) => void): object => {
    const evidence = buildEvidence()
    change(evidence)
    return evidence
  }
  const other = newSigningKey()
  const faults: [string, object, Uint8Array?, object?][] = [
    [
      'entry 3 of the log has another hash',
      spoil(({ log }) => (log[2]!.text = log[2]!.text.replace('rcp_1', 'rcp_2'))),
    ],
    ['entry 3 of the log does not follow', spoil(({ log }) => log.splice(2, 1))],
    ['the log is not the one of the statement', spoil(({ log }) => log.pop())],
    ['is shown as sent', spoil(({ envelope }) => (envelope.status = 'sent'))],
    ['another sealed document', spoil(({ documents }) => (documents[0]!.sha256 = '00'.repeat(32)))],
    ['is not signed by a known key', spoil(({ statement }) => (statement.stated_at = '2020-01-01T00:00:00Z'))],
    [
      'later than the end of its key',
      spoil(({ keys }) => Object.assign(keys[0]!, { svc_not_after: '2026-01-01T00:00:00Z' })),
    ],
    ['is not signed by a known key', buildEvidence(), SEALED, { keys: [{ ...publicJwk(other.x), kid: KEY.kid }] }],
    ['entry 2 of the ledger is not what', spoil(({ ledger }) => (ledger.headers.entries[1]!.writer = 'envelope'))],
    ['is not the one that was witnessed', spoil(({ ledger }) => ledger.headers.entries.pop())],
    [
      'witness of the ledger is not signed',
      spoil(({ ledger }) => (ledger.statement.witnessed_at = '2026-11-25T11:31:00Z')),
    ],
    ['the ledger has another log', spoil(evidence => (evidence.ledger = buildLedger(['other', 'texts'])))],
    ['none of the sealed documents', buildEvidence(), Buffer.from('%PDF-1.7 sealeD')],
    ['cannot be read', { format: 'svc.envelope-evidence/1' }],
  ]
  for (const [fault, evidence, file, keys] of faults) {
    const output = await check(evidence, file, keys)
    expect(output).toMatch(/^1 WRONG: [^\n]+\n$/)
    expect(output).toContain(fault)
  }
})
