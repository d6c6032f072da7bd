import type { SupervisedProcess } from '../supervisor/supervised-process.ts'
import type { Done } from './disturbance.ts'
import type { Random } from './random.ts'
import { sendSignal } from './signals.ts'

/** Kills one of them. Its supervisor waits longer after each crash, unless it is told to start it at once. */
export async function killRole(roles: readonly SupervisedProcess[], random: Random): Promise<Done | undefined> {
  const index = random.int(0, roles.length - 1)
  const isAtOnce = random.isChance(0.6)
  const role = roles[index]!
  const pid = role.pid()
  if (pid === undefined || !sendSignal(pid, 'SIGKILL')) return undefined
  if (isAtOnce) await role.restart(0)
  return { text: `killed ${role.name} ${index + 1} (${pid})${isAtOnce ? ', started again at once' : ''}`, kills: 1 }
}
