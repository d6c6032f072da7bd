import type { Bench } from './figure.ts'
import { type Call, sendBurst } from './load/run.ts'
import { readProcessTime } from './processor-time.ts'

const CLIENTS = 2

/** A server's address, its process and the call it is sent. */
interface MeasuredServer {
  baseUrl: string
  pid: number
  call: Call
}

/** The processor time of one call in milliseconds, a value a round for each server; they take turns. */
export async function measureInTurns(bench: Bench, servers: readonly MeasuredServer[]): Promise<number[][]> {
  const { rounds, seconds, warmUpSeconds } = bench.profile
  for (const server of servers) await measureCallTime(bench, server, warmUpSeconds)
  const times: number[][] = servers.map(() => [])
  for (let round = 0; round < rounds; round++) {
    for (const [index, side] of servers.entries()) times[index]!.push(await measureCallTime(bench, side, seconds))
  }
  return times
}

async function measureCallTime(
  { generator }: Bench,
  { baseUrl, pid, call }: MeasuredServer,
  seconds: number,
): Promise<number> {
  const before = readProcessTime(pid)
  const { calls, failed } = await sendBurst(generator, baseUrl, call, { clients: CLIENTS, seconds })
  if (failed > 0) throw new Error(`${failed} calls failed`)
  return ((readProcessTime(pid) - before) * 1_000) / calls
}
