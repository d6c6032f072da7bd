import { type RegisterHooksOptions, registerHooks } from 'node:module'

// Decision 0622: find files without asking the file system.

type Resolve = NonNullable<RegisterHooksOptions['resolve']>

const ROOT = new URL('../../', import.meta.url).href
const PACKAGES = `${ROOT}node_modules/`
/** What files of ours import by the name of a package, and where it is: the same for all of them. */
const packages = new Map<string, ReturnType<Resolve>>()

/**
 * Finds what our files and those of packages import. For each import Node asks the file system whether the file is there,
 * whether it is a link, and what the `package.json` above it says. That was a quarter of the start of an api, which has some
 * four thousand imports, and of most of them the ending says what it is.
 */
const resolve: Resolve = (specifier, context, next) => {
  const { parentURL, conditions } = context
  if (specifier.startsWith('.') || specifier.startsWith(ROOT)) {
    const url = new URL(specifier, parentURL).href
    const format = formatOf(url)
    return format ? { url, format, shortCircuit: true } : next(specifier, context)
  }
  if (!parentURL || !isOurs(parentURL) || !conditions.includes('import')) return next(specifier, context)
  const found = packages.get(specifier) ?? next(specifier, context)
  packages.set(specifier, found)
  return { ...found, shortCircuit: true }
}

function formatOf(url: string): string | undefined {
  if (url.endsWith('.ts')) return isOurs(url) ? 'module-typescript' : undefined
  return url.endsWith('.mjs') && url.startsWith(ROOT) ? 'module' : undefined
}

function isOurs(url: string): boolean {
  return url.startsWith(ROOT) && !url.startsWith(PACKAGES)
}

registerHooks({ resolve })
