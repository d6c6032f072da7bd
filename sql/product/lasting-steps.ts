import { products } from '../../tasks/products/index.ts'

/** The steps that remove something outside of the database, and so are needed after what they name is gone. */
export function listLastingSteps(): string[] {
  return products.flatMap(({ lastingSteps = [] }) => lastingSteps)
}
