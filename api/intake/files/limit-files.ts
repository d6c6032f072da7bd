import type { ApiContext } from '../../context.ts'
import { NO_ACCOUNT } from '../identity/anonymous.ts'
import type { SourceCall, SourceKind } from '../parts.ts'
import type { FileLimits } from './limits.ts'
import { isPriceToken } from './price-token.ts'
import { readTogether } from './read-together.ts'

interface FilesCall extends SourceCall {
  readonly id: string
  readonly uploads: FileLimits['uploads']
}

/** What the files of a call may be: what its caller owns or may read, and no more than settings allow. */
export function limitFiles(context: ApiContext, call: FilesCall): FileLimits {
  const { calls, db, settings, store, config } = context
  const { id, caller, uploads } = call
  let reader: ReturnType<typeof readTogether> | undefined
  return {
    callId: id,
    store,
    accountId: caller?.accountId ?? NO_ACCOUNT,
    uploads,
    // Made when a file is first named: most calls have none.
    readObject: (ownerId, key) => {
      reader ??= readTogether(db)
      return reader(ownerId, key)
    },
    kinds: calls.sources,
    findKept: (field, source) => findKind(context, field).find(context, call, source),
    mayPrice: (key, token) => !caller && isPriceToken(config.secret, key, token),
    canFetch: config.outbound === 'public',
    maxInlineBytes: settings.get('cputools.io.max_inline_bytes'),
    maxBytes: settings.get('cputools.io.max_storage_ref_bytes'),
  }
}

function findKind({ calls }: ApiContext, field: string): SourceKind {
  return calls.sources.find(kind => kind.field === field)!
}
