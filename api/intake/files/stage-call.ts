import type { CallOptions } from '#kit'
import { readObject } from '../../../sql/object.ts'
import type { ApiContext } from '../../context.ts'
import type { ReceivedCall, StagedCall } from '../call.ts'
import { NO_ACCOUNT } from '../identity/anonymous.ts'
import { isPriceToken } from './price-token.ts'
import { stageFiles } from './stage-files.ts'

interface Flags extends CallOptions {
  async?: boolean
  dryRun?: boolean
}

/** Finds and checks the files of a call, and separates what the intake reads from what the operation does. */
export async function stageCall({ db, settings, store, config }: ApiContext, call: ReceivedCall): Promise<StagedCall> {
  const { billable, preference, body, uploads, temporaryFiles } = call
  const accountId = call.caller?.accountId ?? NO_ACCOUNT
  const { flags, fields } = takeFlags(body as Record<string, unknown>)
  const staged = await stageFiles(billable.input, fields, {
    callId: call.id,
    store,
    accountId,
    uploads,
    readObject: (ownerId, key) => readObject(db, ownerId, key),
    mayPrice: (key, token) => !call.caller && isPriceToken(config.secret, key, token),
    canFetch: config.outbound === 'public',
    maxInlineBytes: settings.get('cputools.io.max_inline_bytes'),
    maxBytes: settings.get('cputools.io.max_storage_ref_bytes'),
  })
  temporaryFiles.add(() => staged.discard())
  const wantsTicket = flags.async ?? (preference.isAsync && preference.waitSeconds === undefined)
  return {
    ...call,
    staged,
    inputBytes: inputBytesOf(call, staged.totalBytes),
    options: { filename: flags.filename, inlineOutput: flags.inlineOutput },
    isDryRun: flags.dryRun ?? false,
    isAsync: billable.alwaysTicket || wantsTicket,
    waitSeconds: preference.waitSeconds ?? settings.get('api.wait_seconds'),
  }
}

function takeFlags(body: Record<string, unknown>): { flags: Flags; fields: Record<string, unknown> } {
  const { async, dryRun, filename, inlineOutput, ...fields } = body as Flags & Record<string, unknown>
  return { flags: { async, dryRun, filename, inlineOutput }, fields }
}

/** The size of the input: files by their decoded size, the rest of the body as it was sent. */
function inputBytesOf({ request, uploads, body }: ReceivedCall, fileBytes: number): number {
  const declared = Number(request.headers['content-length'])
  const isDeclared = Number.isSafeInteger(declared)
  if (uploads.size > 0) return isDeclared ? Math.max(fileBytes, declared) : fileBytes + measureJson(body)
  const jsonBytes = isDeclared ? declared : measureJson(body)
  return Math.max(fileBytes, jsonBytes - Math.ceil(fileBytes / 3) * 4 + fileBytes)
}

function measureJson(body: unknown): number {
  return Buffer.byteLength(JSON.stringify(body))
}
