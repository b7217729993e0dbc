/// A CPU computes a stage by rows.
#pragma once
