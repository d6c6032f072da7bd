import { errorOf } from './errors.ts'
import type { CallOptions, Ticket, TicketState } from './types.ts'

/** Reads a job, waiting up to so many seconds for its end, or cancels it. */
export interface JobCalls {
  read(id: string, waitSeconds: number, options: CallOptions): Promise<TicketState<unknown>>
  cancel(id: string, options: CallOptions): Promise<void>
}

const WAIT_SECONDS = 25
/** Progress is told more often than a job ends. */
const PROGRESS_SECONDS = 2

export function openTicket<Result>(id: string, jobs: JobCalls): Ticket<Result> {
  return {
    id,
    read: (options = {}) => jobs.read(id, 0, options) as Promise<TicketState<Result>>,
    wait: async (options = {}) => (await waitForEnd(id, jobs, options)).result as Result,
    cancel: (options = {}) => jobs.cancel(id, options),
  }
}

/** Waits until a job has succeeded; throws its problem. */
export async function waitForEnd(id: string, jobs: JobCalls, options: CallOptions): Promise<TicketState<unknown>> {
  const seconds = options.onProgress ? PROGRESS_SECONDS : WAIT_SECONDS
  for (;;) {
    const state = await jobs.read(id, seconds, options)
    if (state.progress) options.onProgress?.({ phase: 'run', ...state.progress })
    if (state.status === 'succeeded') return state
    if (state.status === 'failed' || state.status === 'expired') throw failureOf(id, state)
  }
}

function failureOf(id: string, { status, error }: TicketState<unknown>): Error {
  const body = error ?? { error: `The job ${id} has ${status}.`, code: 'JOB_EXPIRED' }
  return errorOf({ status: 422, headers: new Headers(), body })
}
