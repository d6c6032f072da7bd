import { Type } from 'typebox'
import { step } from '#kit'
import type { IdentityProvider } from '../../../../ops/providers/identity/contract.ts'
import type { StepDeps } from '../../step-deps.ts'

type Deps = StepDeps & { openProvider(): Promise<IdentityProvider | undefined> }

export default step({
  summary: 'End a session at the provider of identities, or have it forget a person.',
  payload: Type.Object({ provider: Type.String(), reference: Type.String(), erases: Type.Boolean() }),
  limitSeconds: 60,
  async run({ provider: name, reference, erases }, { openProvider, signal }: Deps) {
    const provider = await openProvider()
    if (provider?.name !== name) throw new Error(`${name} is not configured, so it was not told to forget a person`)
    await (erases ? provider.erase(reference, signal) : provider.cancel(reference, signal))
  },
})
