import { readFileSync } from 'node:fs'
import solc from 'solc'

interface Compiled {
  /** Without `0x`: the deployment code, and the code of the deployed contract. */
  creation: string
  runtime: string
}

interface Output {
  errors?: { severity: string; formattedMessage: string }[]
  contracts: Record<
    string,
    Record<string, { evm: { bytecode: { object: string }; deployedBytecode: { object: string } } }>
  >
}

/** Compiles a Solidity file. The settings are fixed, so that the same source always gives the same code. */
export function compile(url: URL): Record<string, Compiled> {
  const input = {
    language: 'Solidity',
    sources: { 'source.sol': { content: readFileSync(url, 'utf8') } },
    settings: {
      evmVersion: 'cancun',
      optimizer: { enabled: true, runs: 200 },
      viaIR: true,
      metadata: { bytecodeHash: 'none', appendCBOR: false },
      outputSelection: { '*': { '*': ['evm.bytecode.object', 'evm.deployedBytecode.object'] } },
    },
  }
  const output = JSON.parse(solc.compile(JSON.stringify(input))) as Output
  const errors = output.errors?.filter(({ severity }) => severity === 'error') ?? []
  if (errors.length > 0) throw new Error(errors.map(({ formattedMessage }) => formattedMessage).join('\n'))
  return Object.fromEntries(
    Object.entries(output.contracts['source.sol'] ?? {}).map(([name, { evm }]) => [
      name,
      { creation: evm.bytecode.object, runtime: evm.deployedBytecode.object },
    ]),
  )
}
