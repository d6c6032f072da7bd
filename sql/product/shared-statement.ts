import { isProblemCode, Problem } from '#kit'
import { Batch } from '../connection.ts'
import { Connection } from '../db.ts'

type Answer = [ord: number, verdict: string, result?: unknown]

/** Calls of one SQL function. Those that come while others are under way share one statement and one commit. */
export interface SharedStatement {
  /** Throws what the call was refused for. `callAlone` is for a call that the others could not wait for. */
  call(json: string, callAlone: () => Promise<unknown>): Promise<unknown>
  close(): Promise<void>
}

interface SharedStatementOptions {
  /** The SQL function; it answers with the number of a call in its batch, `done`, `again` or a code, and the result or hints. */
  of: string
  /** Calls of one statement. */
  limit: number
  /** Refusals that are no problems. */
  translate?: (verdict: string, result: unknown) => Error | undefined
}

/** Nothing is sent twice when the connection is lost, because what was done would be done again. */
export function openSharedStatement(
  url: string,
  name: string,
  { of, limit, translate }: SharedStatementOptions,
): SharedStatement {
  const connection = new Connection(url, name, { isHot: true })
  const text = `select json_agg(answer) as answers from ${of}($1) answer`
  const batch = new Batch<Answer>(connection, { name: of, text }, { limit, retryForMs: 0 })
  return {
    call: async (json, callAlone) => {
      const [, verdict, result] = (await batch.add(json))!
      if (verdict === 'done') return result
      if (verdict === 'again') return await callAlone()
      const refusal = translate?.(verdict, result)
      if (refusal) throw refusal
      if (isProblemCode(verdict)) throw new Problem(verdict, (result ?? {}) as Record<string, unknown>)
      throw new Error(`${of} answered with an unknown verdict: ${verdict}`)
    },
    close: async () => {
      await batch.whenIdle()
      await connection.close()
    },
  }
}
