const CITIES = ['Rome', 'Oslo', 'Paris', 'Lima', 'Cairo', 'Łódź', 'Quito', 'Delhi']
export const MILLION = 1_000_000

/** Sales: a number, a city, an amount and a product. A million rows are 22 MB. */
export function buildSales(rows: number): Buffer {
  const lines = ['id,city,amount,product']
  for (let row = 1; row <= rows; row++)
    lines.push(`${row},${CITIES[(row * 7) % CITIES.length]},${((row * 7919) % 100_000) / 100},${row % PRODUCTS}`)
  return Buffer.from(`${lines.join('\n')}\n`)
}

const PRODUCTS = 97

/** The products that the sales name. */
export function buildProducts(): Buffer {
  const lines = Array.from({ length: PRODUCTS }, (_, number) => `${number},label ${number},${number / 10}`)
  return Buffer.from(`${['number,label,weight', ...lines].join('\n')}\n`)
}
