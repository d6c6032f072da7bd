import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { type Mailer, MailRefused } from '../../ops/providers/mail/contract.ts'
import { seal, unseal } from '../../ops/secrets.ts'
import type { Db } from '../../sql/db.ts'
import { removeIfUnrecorded } from '../../sql/object.ts'
import type { StepDeps } from '../../tasks/products/step-deps.ts'
import type { WorkerContext } from '../context.ts'

const SQL = fileURLToPath(new URL('../../sql/', import.meta.url))

export type StepContext = Pick<WorkerContext, 'config' | 'db' | 'settings' | 'store' | 'mail' | 'log'> &
  Partial<Pick<WorkerContext, 'outside' | 'pools' | 'products'>>

const NOTHING_OUTSIDE: WorkerContext['outside'] = { open: async () => undefined }

export type Callers = Readonly<Record<string, (db: Db, ...args: never[]) => unknown>>

/** The callers of a product for its background work, which are in the steps.ts of its folder. */
export async function loadCallers(product: string): Promise<Callers> {
  const path = `${SQL}${product}/steps.ts`
  return existsSync(path) ? ((await import(path)) as Callers) : {}
}

/** What a step of a product is given, or a chore of one. */
export function bindStepDeps(
  { config, db, settings, store, mail, log, outside = NOTHING_OUTSIDE }: StepContext,
  { name, callers, signal }: { name: string; callers: Callers; signal: AbortSignal },
): StepDeps {
  return {
    sql: Object.fromEntries(
      Object.entries(callers).map(([caller, call]) => [caller, (...args: never[]) => call(db, ...args)]),
    ),
    settings,
    store: {
      put: async (key, body, options) => {
        const stored = await store.put(key, body, options)
        await removeIfUnrecorded(db, store, key)
        return stored
      },
      remove: key => store.remove(key),
    },
    outside,
    mail: { isSending: mail.isSending, send: sent => sendMail(mail, sent) },
    publicUrl: config.publicUrl,
    seal: (text, owner) => seal(config.secret, text, owner),
    unseal: (sealed, owner) => unseal(config.secret, sealed, owner),
    signal,
    now: () => new Date(),
    log: (facts, text) => log.info({ step: name, ...facts }, text),
  }
}

async function sendMail(mailer: Mailer, mail: Parameters<Mailer['send']>[0]): Promise<string | undefined> {
  try {
    await mailer.send(mail)
    return undefined
  } catch (error) {
    if (error instanceof MailRefused) return error.message
    throw error
  }
}
