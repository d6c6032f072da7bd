import { ModelFault } from '../model-fault.ts'

/** An output of a model, whatever its type, as plain numbers. */
export interface Tensor {
  name: string
  dims: readonly number[]
  data: ArrayLike<number>
}

type Activation = 'none' | 'sigmoid' | 'softmax'

export function findTensor(tensors: readonly Tensor[], name: string | undefined): Tensor {
  const found = name === undefined ? tensors[0] : tensors.find(tensor => tensor.name === name)
  if (found) return found
  const names = tensors.map(tensor => tensor.name).join(', ')
  throw new ModelFault(`the model has no output ${name}; it has ${names}`)
}

/** The two last dimensions; those before them must be 1. */
export function readMatrix({ name, dims }: Tensor): [rows: number, columns: number] {
  const leading = dims.slice(0, -2)
  if (dims.length < 2 || leading.some(size => size !== 1))
    throw new ModelFault(`the output ${name} has the dimensions ${dims.join(' x ')}, which hold no list`)
  return [dims.at(-2)!, dims.at(-1)!]
}

export function sigmoid(value: number): number {
  return 1 / (1 + Math.exp(-value))
}

/** The values as probabilities. */
export function activate(values: readonly number[], activation: Activation): number[] {
  if (activation === 'sigmoid') return values.map(sigmoid)
  if (activation === 'none') return [...values]
  const highest = Math.max(...values)
  const powers = values.map(value => Math.exp(value - highest))
  const sum = powers.reduce((total, power) => total + power, 0)
  return powers.map(power => power / sum)
}
