import { createEnrolmentLink, LINK_MINUTES } from '../../api/console/access/links.ts'
import {
  changeOperator,
  createOperator,
  createOperatorLink,
  listOperators,
  OPERATOR_ROLES,
  type OperatorRole,
} from '../../sql/operator.ts'
import { explainMissing, formatTable } from './print.ts'
import { type CliContext, type Runs, UsageError } from './verb.ts'

export const runs: Runs = {
  async create(context, [name], { role = 'read' }) {
    requireConsole(context)
    await createOperator(context.db, readName(name!), readRole(role))
    return await printLink(context, readName(name!))
  },
  link: (context, [name]) => printLink(context, readName(name!)),
  async role(context, [name, role]) {
    await change(context, name!, { role: readRole(role!) })
    return { data: { name, role }, text: `${name} has the role ${role}` }
  },
  async close(context, [name]) {
    await change(context, name!, { isDisabled: true })
    return { data: { name, isDisabled: true }, text: 'closed' }
  },
  async open(context, [name]) {
    await change(context, name!, { isDisabled: false })
    return { data: { name, isDisabled: false }, text: 'open' }
  },
  async list({ db }) {
    const operators = (await listOperators(db)).map(({ passkeys, ...each }) => ({
      ...each,
      passkeys: Number(passkeys),
    }))
    const lines = operators.map(
      ({ name, role, has_totp: hasTotp, passkeys, seen_at: seenAt, disabled_at: closedAt }) => [
        ...[name, role, hasTotp ? 'yes' : 'no', passkeys, seenAt, closedAt],
      ],
    )
    return { data: operators, text: formatTable(['name', 'role', 'app', 'passkeys', 'last seen', 'closed'], lines) }
  },
}

async function change({ db }: CliContext, name: string, given: Parameters<typeof changeOperator>[2]): Promise<void> {
  await changeOperator(db, readName(name), given).catch(explainMissing(`There is no operator ${name}.`))
}

async function printLink(context: CliContext, name: string) {
  const { url: base } = requireConsole(context)
  const { url, hash } = createEnrolmentLink(context.config.secret, base)
  await createOperatorLink(context.db, name, hash, LINK_MINUTES).catch(explainMissing(`There is no operator ${name}.`))
  return { data: { name, url }, text: url }
}

function requireConsole({ config }: CliContext): NonNullable<CliContext['config']['console']> {
  if (config.console) return config.console
  throw new UsageError('The console is closed; set CONSOLE_PORT, for this command and for the service.')
}

function readName(text: string): string {
  const name = text.toLowerCase()
  if (/^[a-z0-9][a-z0-9._@-]{0,63}$/.test(name)) return name
  throw new UsageError('The name of an operator has letters, digits, dots and dashes, or is a mail address.')
}

function readRole(text: string): OperatorRole {
  const role = OPERATOR_ROLES.find(each => each === text)
  if (role) return role
  throw new UsageError(`The role must be ${OPERATOR_ROLES.join(', ')}, not "${text}".`)
}
