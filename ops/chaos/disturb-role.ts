import type { SupervisedProcess } from '../supervisor/supervised-process.ts'
import type { Done } from './disturbance.ts'
import type { Random } from './random.ts'
import { freeze, sendSignal } from './signals.ts'

const RESTART_TIMEOUT_MS = 12_000

/** Kills one of them. Its supervisor waits longer after each crash, unless it is told to start it at once. */
export async function killRole(roles: readonly SupervisedProcess[], random: Random): Promise<Done | undefined> {
  const role = random.pick(roles)
  const isAtOnce = random.isChance(0.6)
  const pid = role.pid()
  if (pid === undefined || !sendSignal(pid, 'SIGKILL')) return undefined
  if (isAtOnce) await role.restart(0)
  return { text: `killed ${role.name} ${pid}${isAtOnce ? ', started again at once' : ''}`, kills: 1 }
}

/** Stops one of them for some seconds, after which it goes on. */
export async function freezeRole(roles: readonly SupervisedProcess[], random: Random): Promise<Done | undefined> {
  const [role, ms] = [random.pick(roles), random.int(500, 8_000)]
  const pid = role.pid()
  if (pid === undefined || !(await freeze(pid, ms))) return undefined
  return { text: `stopped ${role.name} ${pid} for ${ms} ms` }
}

/** In order, as at an upgrade. */
export async function restartRole(roles: readonly SupervisedProcess[], random: Random): Promise<Done> {
  const role = random.pick(roles)
  const pid = role.pid()
  await role.restart(RESTART_TIMEOUT_MS)
  return { text: `restarted ${role.name} ${pid} in order` }
}
