import type { FastifyInstance } from 'fastify'
import { createRefresh } from '../ops/back-off.ts'
import { readAddedOperations } from '../ops/plugins/operations.ts'
import type { NamedOperation } from '../tasks/index.ts'
import { createApp, registerOperation } from './app.ts'
import type { ApiContext } from './context.ts'
import type { Offers } from './intake/x402/offers.ts'

// Decision 0552: answer added operations by a router that is replaced as a whole.

/**
 * Answers the operations that the operator has added. Fastify takes no route once it listens, so they have an instance of their
 * own, which never listens and is replaced when they change. A request ends with the instance that it began with.
 */
export class AddedRouter {
  readonly #context: ApiContext
  readonly #offers: Offers | undefined
  #app: FastifyInstance | undefined
  #paths: ReadonlySet<string> = new Set()

  constructor(context: ApiContext, offers: Offers | undefined) {
    this.#context = context
    this.#offers = offers
  }

  /** The instance that answers an address, whatever its method. */
  readonly find = (url: string): FastifyInstance | undefined => {
    if (this.#paths.size === 0) return undefined
    const path = url.split('?', 1)[0]!
    return this.#paths.has(path.endsWith('/') ? path.slice(0, -1) : path) ? this.#app : undefined
  }

  /** Offers what is in service now. */
  readonly refresh = createRefresh(
    () => this.#refresh(),
    error => this.#context.log.warn({ err: error }, 'operations of the operator not refreshed'),
  )

  /** From now on requests are told that the service stops. */
  async close(): Promise<void> {
    await this.#app?.close()
  }

  async #refresh(): Promise<void> {
    const { catalog, config, db, log } = this.#context
    const added = await readAddedOperations(db, config.pluginsDir)
    const before = catalog.operations.filter(({ version }) => version !== undefined)
    if (this.#app && listVersions(before) === listVersions(added)) return
    const app = createApp(this.#context, this.#offers)
    for (const operation of added) registerOperation(app, this.#context, operation)
    await app.ready()
    catalog.setAdded(added)
    this.#app = app
    this.#paths = new Set(added.map(({ path }) => path))
    this.#context.toolListeners.announce()
    log.info({ operations: added.map(({ name }) => name) }, 'operations of the operator are served')
  }
}

function listVersions(operations: readonly NamedOperation[]): string {
  return operations.map(({ name, version }) => `${name} ${version}`).join()
}
