graph [
  node [ id 0 charge ]
]
