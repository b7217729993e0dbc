"""The look of charts, and parts that several of them share."""
