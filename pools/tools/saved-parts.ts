import type { HostContext, SavedParts } from '../host-context.ts'

// Decision 0143: save the pages of long jobs beside their inputs.

/** Without a worker's store, as in a bench, parts live as long as the run. */
export function bind({ savedParts }: HostContext): SavedParts {
  return savedParts ?? keepInMemory()
}

function keepInMemory(): SavedParts {
  const parts = new Map<string, string>()
  return {
    list: async () => [...parts.keys()],
    read: async name => parts.get(name) ?? '',
    save: async (name, content) => void parts.set(name, content),
  }
}
